// @ts-check
// Shows the shape of a page that is on its way, so that whoever waits sees what will stand there. A page that comes soon is
// awaited in silence.

/** A page that comes within this time takes the place of the former one directly. */
const SILENT_MS = 150;
const MOST_ROWS = 12;

/**
 * Shows a skeleton in the place of a page, unless the next one comes soon.
 *
 * @param {HTMLElement} main
 * @param {string} shape `overview`, `list` or `object`
 * @returns {() => void} what takes the skeleton away again; the former page is then as it was
 */
export function awaitPage(main, shape) {
	/** @type {HTMLElement | undefined} */
	let skeleton;
	let top = 0;
	/** @type {Element | null} */
	let focused = null;
	const timer = setTimeout(() => {
		top = scrollY;
		focused = main.contains(document.activeElement) ? document.activeElement : null;
		const text = document.getElementById('idle')?.dataset.coming ?? '';
		skeleton = drawn(shape, text);
		main.prepend(skeleton);
		main.classList.add('coming');
		scrollTo(0, 0);
		// A region is read out when its text changes, and not when it comes with its text.
		const said = skeleton.querySelector('p');
		setTimeout(() => said?.append(text));
	}, SILENT_MS);
	return () => {
		clearTimeout(timer);
		if (!skeleton) return;
		skeleton.remove();
		main.classList.remove('coming');
		scrollTo(0, top);
		if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
	};
}

/**
 * @param {string} shape
 * @param {string} text what readers who do not see the shape are told
 */
function drawn(shape, text) {
	const skeleton = document.createElement('div');
	skeleton.className = `skeleton of-${shape}`;
	const [heading, said] = [document.createElement('h1'), document.createElement('p')];
	heading.className = said.className = 'unseen';
	heading.textContent = text;
	said.setAttribute('role', 'status');
	skeleton.append(heading, said);
	const body = document.createElement('div');
	for (let row = 0; row < MOST_ROWS; row++) body.append(document.createElement('div'));
	for (const part of [document.createElement('div'), body]) {
		part.setAttribute('aria-hidden', 'true');
		skeleton.append(part);
	}
	return skeleton;
}
