// @ts-check
// Exchanges messages with the page around the form (shapes §5). Only the registered origin that the parameters name hears
// them and is heard.

/** Behind these words, and a colon, stands what they are about. */
const WORDS_WITH_MORE = ['focus', 'update'];

/**
 * @param {{ messageOrigin?: string, nonce?: string }} settings
 * @param {Readonly<Record<string, (more: string) => void>>} heard what to do at each word of the page around the form
 */
export function openMessages({ messageOrigin, nonce }, heard) {
	const isFramed = window.parent !== window;
	const mark = nonce ? `:${nonce}` : '';
	/** @param {string} text */
	const post = (text) => {
		if (isFramed && messageOrigin) window.parent.postMessage(text, messageOrigin);
	};
	/** @param {Readonly<Record<string, unknown>>} content */
	const postJson = (content) => post(JSON.stringify(nonce ? { ...content, formNonce: nonce } : content));
	if (isFramed && messageOrigin) {
		window.addEventListener('message', ({ source, origin, data }) => {
			if (source !== window.parent || origin !== messageOrigin) return;
			if (typeof data !== 'string' || !data.endsWith(mark)) return;
			const text = data.slice(0, data.length - mark.length);
			const [word] = text.split(':', 1);
			if (text !== word && !WORDS_WITH_MORE.includes(word)) return;
			if (Object.hasOwn(heard, word)) heard[word](text.slice(word.length + 1));
		});
	}
	return {
		/** @param {string} name */
		tell: (name) => post(name + mark),
		/**
		 * @param {string} event
		 * @param {Readonly<Record<string, unknown>>} detail
		 */
		tellEvent: (event, detail) => postJson({ event, ...detail }),
		/**
		 * @param {string} cardToken
		 * @param {Readonly<Record<string, unknown>>} [card] what is told of the card beside its token
		 */
		tellToken: (cardToken, card) => postJson({ cardToken, ...card }),
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
