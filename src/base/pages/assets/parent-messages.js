// @ts-check
// Exchanges messages with the page around the form (shapes §5). Only the registered origin that the parameters name hears
// them and is heard.

/**
 * @param {{ messageOrigin?: string, nonce?: string }} settings
 * @param {{ validate: () => void, submit: () => void }} heard
 */
export function openMessages({ messageOrigin, nonce }, heard) {
	const isFramed = window.parent !== window;
	const mark = nonce ? `:${nonce}` : '';
	/** @param {string} text */
	const post = (text) => {
		if (isFramed && messageOrigin) window.parent.postMessage(text, messageOrigin);
	};
	if (isFramed && messageOrigin) {
		window.addEventListener('message', ({ source, origin, data }) => {
			if (source !== window.parent || origin !== messageOrigin) return;
			if (data === `validate${mark}`) heard.validate();
			else if (data === `submit${mark}`) heard.submit();
		});
	}
	return {
		/** @param {string} name */
		tell: (name) => post(name + mark),
		/** @param {string} cardToken */
		tellToken: (cardToken) => post(JSON.stringify(nonce ? { cardToken, formNonce: nonce } : { cardToken })),
		/**
		 * Tells the size of an element, at once and whenever it changes.
		 * @param {Element} element
		 */
		tellSize(element) {
			let last = '';
			new ResizeObserver(() => {
				const { width, height } = element.getBoundingClientRect();
				const size = `${Math.ceil(width)}:${Math.ceil(height)}`;
				if (size !== last) post(`frameDimensionsChanged:${size}${mark}`);
				last = size;
			}).observe(element);
		},
	};
}
