// @ts-check
// Tells the scripts of a page that it is shown. The next page is loaded into the same document (portal-walk.js), in which a
// script runs only once.

const SHOWN = 'portal:shown';

/**
 * Runs a function for this page, and for every page that takes its place.
 *
 * @param {() => void} run
 */
export function onShown(run) {
	document.addEventListener(SHOWN, run);
	run();
}

export function tellShown() {
	document.dispatchEvent(new Event(SHOWN));
}

/** Returns the data that the page brings for its scripts. */
export function pageData() {
	return JSON.parse(document.getElementById('page-data')?.textContent ?? '{}');
}
