// @ts-check
// Copies and prints recovery codes. The buttons stay hidden where there is no script.

import { onShown } from './portal-shown.js';

onShown(() => {
	const list = document.querySelector('.codes');
	const buttons = document.getElementById('codes-buttons');
	if (!list || !buttons) return;
	const copy = document.getElementById('codes-copy');
	const said = document.getElementById('codes-said');
	buttons.hidden = false;
	// Browsers have no clipboard for pages that came over plain HTTP from another machine.
	if (copy) copy.hidden = !navigator.clipboard;
	copy?.addEventListener('click', async () => {
		const codes = [...list.querySelectorAll('li')].map((item) => item.textContent?.trim()).join('\n');
		try {
			await navigator.clipboard.writeText(`${codes}\n`);
			if (said) said.textContent = buttons.dataset.copied ?? '';
		} catch {
			if (said) said.textContent = buttons.dataset.failed ?? '';
		}
	});
	document.getElementById('codes-print')?.addEventListener('click', () => print());
});
