// @ts-check
// Makes an element equal to another one by changing no more than differs, so that focus, selection and scrolling stay.

/**
 * @param {Element} old
 * @param {Element} next
 */
export function morph(old, next) {
	if (old.isEqualNode(next)) return;
	morphAttributes(old, next);
	// What a script has drawn into an element, and notes there, is its own.
	if (old instanceof HTMLElement && old.dataset.drawn !== undefined) return;
	let at = old.firstChild;
	for (const child of [...next.childNodes]) {
		const found = findSame(at, child);
		if (!found) {
			old.insertBefore(document.adoptNode(child), at);
			continue;
		}
		// Those between belong to rows that are gone. They are not moved, because what has the focus would lose it.
		while (at !== found) at = removed(at);
		if (found instanceof Element && child instanceof Element) morph(found, child);
		else if (found.nodeValue !== child.nodeValue) found.nodeValue = child.nodeValue;
		at = found.nextSibling;
	}
	while (at) at = removed(at);
}

/** @param {ChildNode | null} node */
function removed(node) {
	const next = node?.nextSibling ?? null;
	node?.remove();
	return next;
}

/**
 * Finds the element that shows the same thing as `child`, at this place or further on.
 *
 * @param {ChildNode | null} from
 * @param {Node} child
 */
function findSame(from, child) {
	const key = keyOf(child);
	if (key === undefined) return from?.nodeName === child.nodeName && keyOf(from) === undefined ? from : undefined;
	for (let node = from; node; node = node.nextSibling)
		if (node.nodeName === child.nodeName && keyOf(node) === key) return node;
	return undefined;
}

/**
 * Returns what names an element among its siblings: its id, or for a row of a table what its first cell leads to or says.
 *
 * @param {Node} node
 */
function keyOf(node) {
	if (!(node instanceof Element)) return undefined;
	if (node.id !== '') return node.id;
	if (node.nodeName === 'TABLE') return node.querySelector('caption')?.textContent ?? undefined;
	if (node.nodeName !== 'TR') return undefined;
	return node.querySelector('a')?.getAttribute('href') ?? node.firstElementChild?.textContent ?? undefined;
}

/** What the reader has opened stays open, and what is typed stays. */
const OF_READER = new Set(['open', 'value', 'checked']);

/**
 * @param {Element} old
 * @param {Element} next
 */
function morphAttributes(old, next) {
	const isOfReader = /^(DETAILS|INPUT|SELECT|TEXTAREA|OPTION)$/.test(old.nodeName);
	for (const { name, value } of [...next.attributes])
		if (old.getAttribute(name) !== value && !(isOfReader && OF_READER.has(name))) old.setAttribute(name, value);
	for (const { name } of [...old.attributes])
		if (!next.hasAttribute(name) && name !== 'data-drawn' && !(isOfReader && OF_READER.has(name)))
			old.removeAttribute(name);
}
