// @ts-check
// Says whether an upload is under way, which would be lost with the document.

/** Tells by the tray at the foot of the page (portal-tray.js). */
export function isBusy() {
	return document.getElementById('tray')?.dataset.busy !== undefined;
}

/**
 * Loads a whole page in place of the document, unless an upload is under way.
 *
 * @param {string | URL} address
 */
export function leaveFor(address) {
	if (!isBusy()) location.assign(address);
}
