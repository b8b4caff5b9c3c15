// @ts-check
// Chooses the time zone of the reader in the form of a new route, as long as nobody has chosen another one, and shows only
// the fields that the chosen times need.

import { onShown } from './portal-shown.js';

onShown(() => {
	const zone = document.getElementById('zone');
	const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
	const isFresh = document.getElementById('missing') === null && document.getElementById('checked') === null;
	if (zone instanceof HTMLSelectElement && isFresh && [...zone.options].some(({ value }) => value === own))
		zone.value = own;
	const when = document.getElementById('when');
	if (!(when instanceof HTMLSelectElement)) return;
	const follow = () => {
		const isAtTime = when.value === 'daily' || when.value === 'weekdays';
		const field = document.getElementById('time')?.closest('.field');
		if (field instanceof HTMLElement) field.hidden = !isAtTime;
	};
	when.addEventListener('change', follow);
	follow();
});
