// @ts-check
// Tokendrop in a page of yours. The forms stand in frames that the card vault serves, so your page never sees a card.
// docs/forms.md explains everything; tokendrop.d.ts has the types. It keeps nothing and needs no other file.

/** @typedef {import('./tokendrop-1.d.ts').FormEvents} FormEvents */
/** @typedef {import('./tokendrop-1.d.ts').HostedForm} HostedForm */
/** @typedef {import('./tokendrop-1.d.ts').FormOptions & Record<string, unknown>} FormOptions */

/** The address of the vault from which this file was loaded. */
const HOME = new URL('..', import.meta.url).href;
/** A form tells that it is ready before its frame has loaded. Some time is left for slow machines. */
const READY_WITHIN_MS = 3000;

/** What went wrong. `code` says it to programs. */
export class TokendropError extends Error {
	/**
	 * @param {string} code
	 * @param {string} message
	 * @param {{ status?: number, errors?: Record<string, string[]> }} [more]
	 */
	constructor(code, message, { status, errors } = {}) {
		super(message);
		this.name = 'TokendropError';
		this.code = code;
		this.status = status;
		this.errors = errors;
	}
}

/** @type {import('./tokendrop-1.d.ts').mountCardForm} */
export function mountCardForm(element, options) {
	return mount(element, 'capturecard', { title: 'Card details', height: 420, ...options });
}

/** @type {import('./tokendrop-1.d.ts').mountCvvForm} */
export function mountCvvForm(element, options) {
	return mount(element, 'capturecvv', { title: 'Security code', height: 220, ...options });
}

/**
 * @param {HTMLElement | string} element
 * @param {string} form
 * @param {FormOptions & { title: string, height: number }} options
 * @returns {HostedForm}
 */
function mount(element, form, { url, baseUrl, title, height, autoResize = true, ...parameters }) {
	const place = typeof element === 'string' ? document.querySelector(element) : element;
	if (!place) throw new TokendropError('no-element', `there is no element ${element}`);
	const address = new URL(url ?? `${trimmed(baseUrl ?? HOME)}/api/payments/${form}`, location.href);
	const nonce = makeNonce();
	for (const [name, value] of Object.entries({ ...parameters, postMessageHost: location.origin, formNonce: nonce })) {
		if (value !== undefined && value !== null) address.searchParams.set(name, String(value));
	}
	/** @type {Map<string, Set<(detail: any) => void>>} */
	const listeners = new Map();
	/** @param {string} name @param {unknown} [detail] */
	const emit = (name, detail) => {
		for (const listener of [...(listeners.get(name) ?? [])]) {
			try {
				listener(detail);
			} catch (error) {
				reportError(error);
			}
		}
	};
	const ready = settled();
	const token = settled();
	/** @type {ReturnType<typeof settled>[]} */
	let answers = [];

	const frame = document.createElement('iframe');
	frame.title = title;
	// Some browsers fill frames of another origin with the cards that they know only if the page allows it.
	frame.allow = 'autofill';
	frame.referrerPolicy = 'no-referrer';
	Object.assign(frame.style, { width: '100%', height: `${height}px`, border: '0', display: 'block' });

	/** @param {string} text */
	const post = (text) => frame.contentWindow?.postMessage(`${text}:${nonce}`, address.origin);
	/** Sends a request, and gives the next word of the form about its fields. @param {string} text */
	const ask = async (text) => {
		await ready.promise;
		const answer = settled();
		answers.push(answer);
		post(text);
		return answer.promise;
	};
	/** @param {boolean} isValid */
	const judged = (isValid) => {
		const asked = answers;
		answers = [];
		for (const answer of asked) answer.resolve(isValid);
		emit(isValid ? 'valid' : 'invalid');
	};
	/** @param {MessageEvent} event */
	const hear = ({ source, origin, data }) => {
		if (source !== frame.contentWindow || origin !== address.origin || typeof data !== 'string') return;
		const stored = tokenIn(data, nonce);
		if (stored !== undefined) {
			token.resolve(stored);
			judged(true);
			return emit('token', stored);
		}
		if (!data.endsWith(`:${nonce}`)) return;
		const [word, width, tall] = data.slice(0, -nonce.length - 1).split(':');
		if (word === 'ready') {
			ready.resolve(undefined);
			emit('ready');
		} else if (word === 'valid' || word === 'invalid') judged(word === 'valid');
		else if (word === 'frameDimensionsChanged') {
			const size = { width: Number(width), height: Number(tall) };
			if (!(size.height >= 0 && size.width >= 0)) return;
			if (autoResize) frame.style.height = `${size.height}px`;
			emit('resize', size);
		}
	};
	/** @param {TokendropError} error */
	const fail = (error) => {
		for (const each of [ready, token, ...answers]) each.reject(error);
		answers = [];
	};
	frame.addEventListener(
		'load',
		() =>
			setTimeout(() => {
				const text = 'the form did not open: its token may have ended, or this origin may not be registered';
				ready.reject(new TokendropError('not-opened', text));
				ready.promise.catch(fail);
			}, READY_WITHIN_MS),
		{ once: true },
	);
	addEventListener('message', hear);
	frame.src = address.href;
	place.append(frame);

	return {
		frame,
		ready: /** @type {Promise<void>} */ (ready.promise),
		token: /** @type {Promise<string>} */ (token.promise),
		on(name, listener) {
			const all = listeners.get(name) ?? new Set();
			listeners.set(name, all.add(listener));
			return () => void all.delete(listener);
		},
		validate: () => /** @type {Promise<boolean>} */ (ask('validate')),
		async submit() {
			// A form that has stored its card says no more, so its token is an answer too.
			const answer = await Promise.race([token.promise, ask('submit')]);
			if (answer === false) throw new TokendropError('invalid', 'the form was not stored: it shows what is wrong');
			return /** @type {Promise<string>} */ (token.promise);
		},
		destroy() {
			removeEventListener('message', hear);
			frame.remove();
			listeners.clear();
			fail(new TokendropError('destroyed', 'the form was removed from the page'));
		},
	};
}

/** @type {import('./tokendrop-1.d.ts').openPaymentSession} */
export function openPaymentSession({ baseUrl = HOME, token }) {
	/** @param {string} path @param {RequestInit} [init] */
	const call = async (path, init = {}) => {
		const headers = { accept: 'application/json', authorization: `Bearer ${token}`, ...init.headers };
		const url = `${trimmed(baseUrl)}/api/eWalletOperation/session${path}`;
		const answer = await fetch(url, { ...init, headers, credentials: 'omit', cache: 'no-store' }).catch((cause) => {
			throw Object.assign(new TokendropError('network', 'the vault could not be reached from this page'), { cause });
		});
		const text = await answer.text();
		const body = /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : {};
		if (answer.ok) return body;
		const message = body.moreInfo ?? body.message ?? `the vault answered ${answer.status}`;
		throw new TokendropError('refused', message, { status: answer.status, errors: body.errors });
	};
	return {
		read: () => call(''),
		carryOut: (card, { idempotencyKey } = {}) =>
			call('/tokenize', {
				method: 'POST',
				headers: {
					'content-type': 'application/json',
					...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
				},
				body: JSON.stringify({ BankCard: card }),
			}),
	};
}

/** @param {string} text @param {string} nonce */
function tokenIn(text, nonce) {
	if (!text.startsWith('{')) return undefined;
	try {
		const { cardToken, formNonce } = JSON.parse(text);
		return formNonce === nonce && typeof cardToken === 'string' ? cardToken : undefined;
	} catch {
		return undefined;
	}
}

/** A promise that is settled from outside. If nobody waits for it, the browser does not complain that it failed. */
function settled() {
	/** @type {(value: unknown) => void} */
	let resolve = () => {};
	/** @type {(error: Error) => void} */
	let reject = () => {};
	/** @type {Promise<unknown>} */
	const promise = new Promise((good, bad) => {
		resolve = good;
		reject = bad;
	});
	promise.catch(() => {});
	return { promise, resolve, reject };
}

/** Marks the messages of one form, so that two forms of a page do not hear each other. */
function makeNonce() {
	return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @param {string} url */
function trimmed(url) {
	return url.replace(/\/+$/, '');
}
