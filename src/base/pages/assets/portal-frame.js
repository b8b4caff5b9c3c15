// @ts-check
// What every page of the portal does for somebody who is signed in: it leads to the next page without losing what goes on,
// shows what changes, and warns before the session ends.

import { isBusy } from './portal-busy.js';
import { startFinding } from './portal-find.js';
import { startLive } from './portal-live.js';
import { startLocalTimes } from './portal-local-times.js';
import { onShown } from './portal-shown.js';
import { startWalking } from './portal-walk.js';

const WARNING_SECONDS = 120;
/** What shows the end of the session that is shown now. */
let showsEnd = () => {};

onShown(() => {
	const box = document.getElementById('idle');
	const text = document.getElementById('idle-text');
	const stay = document.getElementById('idle-stay');
	if (!box || !text || !stay) return;
	let endsAt = Date.now() + Number(box.dataset.seconds) * 1000;
	let isAsked = false;
	/** @param {string} address */
	const ask = async (address) => {
		const answer = await fetch(address, { redirect: 'manual' }).catch(() => undefined);
		if (!answer?.ok) return;
		const { seconds } = await answer.json();
		endsAt = Date.now() + seconds * 1000;
	};
	showsEnd = () => {
		const seconds = Math.round((endsAt - Date.now()) / 1000);
		const isOver = seconds <= 0;
		box.hidden = seconds > WARNING_SECONDS;
		if (box.hidden) {
			isAsked = false;
			return;
		}
		// An upload keeps its session, so the service is asked before the first word.
		if (isBusy() && !isAsked) {
			isAsked = true;
			box.hidden = true;
			void ask(`${box.dataset.href}?refresh=1`);
			return;
		}
		stay.hidden = isOver;
		const said = isOver
			? box.dataset.ended
			: box.dataset.text?.replace('{seconds}', String(Math.ceil(seconds / 10) * 10));
		// The same words are not written again, because they would be read out again.
		if (text.textContent !== said) text.textContent = said ?? '';
	};
	stay.addEventListener('click', async () => {
		await ask(String(box.dataset.href));
		box.hidden = endsAt - Date.now() > WARNING_SECONDS * 1000;
	});
});
setInterval(() => showsEnd(), 1000);

const root = document.getElementById('idle')?.dataset.href?.replace(/\/session$/, '');
if (root !== undefined) {
	startLocalTimes();
	startFinding();
	startWalking(root);
	startLive(root);
}
