// @ts-check
// Warns before a session ends, and keeps it when the reader says so.

const WARNING_SECONDS = 120;

const box = document.getElementById('idle');
const text = document.getElementById('idle-text');
const stay = document.getElementById('idle-stay');

if (box && text && stay) {
	let endsAt = Date.now() + Number(box.dataset.seconds) * 1000;
	const show = () => {
		const seconds = Math.round((endsAt - Date.now()) / 1000);
		const isOver = seconds <= 0;
		box.hidden = seconds > WARNING_SECONDS;
		if (box.hidden) return;
		stay.hidden = isOver;
		const said = isOver
			? box.dataset.ended
			: box.dataset.text?.replace('{seconds}', String(Math.ceil(seconds / 10) * 10));
		// The same words are not written again, because they would be read out again.
		if (text.textContent !== said) text.textContent = said ?? '';
	};
	setInterval(show, 1000);
	stay.addEventListener('click', async () => {
		const answer = await fetch(String(box.dataset.href), { redirect: 'manual' }).catch(() => undefined);
		if (!answer?.ok) return;
		const { seconds } = await answer.json();
		endsAt = Date.now() + seconds * 1000;
		box.hidden = true;
	});
}
