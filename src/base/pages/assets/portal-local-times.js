// @ts-check
// Writes times in the time zone of the reader: that of the browser, or the one that was chosen. Without it, they are in UTC.

import { onShown } from './portal-shown.js';

function writeTimes() {
	const main = document.querySelector('main');
	const timeZone = main?.dataset.zone || undefined;
	const language = document.documentElement.lang;
	const time = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone });
	const zone = new Intl.DateTimeFormat(language, { timeZoneName: 'short', timeZone });
	for (const each of document.querySelectorAll('main time:not([data-utc])')) {
		if (!(each instanceof HTMLTimeElement)) continue;
		const date = new Date(each.dateTime);
		const name = zone.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value;
		const text = `${time.format(date)} ${name}`;
		// What is right already is not written, so that nothing moves and nothing is read out again.
		if (each.textContent === text) continue;
		each.title ||= each.textContent ?? '';
		each.textContent = text;
	}
}

export function startLocalTimes() {
	onShown(writeTimes);
	// Live parts come with times in UTC.
	document.addEventListener('portal:changed', writeTimes);
}
