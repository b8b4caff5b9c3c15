// @ts-check
// Tokendrop in a page of yours. The forms stand in frames that the card vault serves, so your page never sees a card.
// docs/forms.md explains everything; tokendrop.d.ts has the types. It keeps nothing and needs no other file.

/** @typedef {import('./tokendrop-1.d.ts').FormEvents} FormEvents */
/** @typedef {import('./tokendrop-1.d.ts').HostedForm} HostedForm */
/** @typedef {import('./tokendrop-1.d.ts').FormOptions & Record<string, unknown>} FormOptions */

/** The address of the vault from which this file was loaded. */
const HOME = new URL('..', import.meta.url).href;
/** A form tells that it is ready before its frame has loaded. Time is left for a machine that is busy with much else. */
const READY_WITHIN_MS = 10_000;

/** What went wrong. `code` says it to programs. */
export class TokendropError extends Error {
	/**
	 * @param {string} code
	 * @param {string} message
	 * @param {{ status?: number, errors?: Record<string, string[]>, failure?: string }} [more]
	 */
	constructor(code, message, { status, errors, failure } = {}) {
		super(message);
		this.name = 'TokendropError';
		this.code = code;
		this.status = status;
		this.errors = errors;
		this.failure = failure;
	}
}

/** @typedef {readonly [expected: string, isRight: (value: any) => boolean]} Rule */

/** @param {RegExp} pattern @returns {(value: any) => boolean} */
const fits = (pattern) => (value) => /^(string|number|boolean)$/.test(typeof value) && pattern.test(String(value));
/** @type {Rule} */
const FLAG = ['true or false', fits(/^(true|false)$/i)];
/** @type {Rule} */
const TEXT = ['a text', (value) => typeof value === 'string'];
/** @type {Rule} */
const PIXELS = ['a number of pixels', (value) => typeof value === 'number' && value >= 0];
const TYPES =
	'AMEX BC CartaSi Dankort Delta DinersClub Discover Electron Elo enRoute Hipercard JCB Maestro MasterCard Switch Troy UATP UnionPay Visa Mir RuPay Verve Mada CartesBancaires Uzcard Humo Napas PayPak ArCa Belkart Prostir';
const TYPE_NAMES = TYPES.toLowerCase().split(' ');
/** @type {Rule} */
const CARD_TYPES = [
	`names of card types: ${TYPES.replaceAll(' ', ', ')}`,
	(value) =>
		[value]
			.flat()
			.join()
			.split(',')
			.every((each) => TYPE_NAMES.includes(each.trim().toLowerCase())),
];

/** The options of every form. @type {Readonly<Record<string, Rule>>} */
const FORM_OPTIONS = {
	...{ url: TEXT, baseUrl: TEXT, sessionToken: TEXT, accessToken: TEXT, title: TEXT, height: PIXELS, autoResize: FLAG },
	...{ language: TEXT, brand: TEXT, removeBaseCss: FLAG, autoFocus: FLAG, submitWithPostMessage: FLAG },
	...{ useCustomValidation: FLAG, success: TEXT, failure: TEXT },
	css: ['a text of at most 8192 characters', (value) => typeof value === 'string' && value.length <= 8192],
};
/** @type {Readonly<Record<string, Rule>>} */
const CARD_OPTIONS = {
	...FORM_OPTIONS,
	cvv: ['true, false or "optional"', fits(/^(true|false|optional)$/i)],
	...{ autoDetectCardType: FLAG, defaultCardType: CARD_TYPES, cardTypes: CARD_TYPES, showOwnerId: FLAG },
	minExpiration: ['a month, as in "2030-04"', fits(/^(\d{4}-\d\d?|\d\d?\/(\d\d){1,2}|(0[1-9]|1[0-2])\d\d|\d{6})$/)],
	expirationMonths: ['a whole number from 0 to 240', (value) => /^\d{1,3}$/.test(value) && Number(value) <= 240],
	creatorReference: ['a text of at most 255 characters', (value) => String(value).length <= 255],
	...{ nameOnCardValidation: FLAG, eliminateCardDuplication: FLAG },
};
/** @type {Readonly<Record<string, Rule>>} */
const CVV_OPTIONS = { ...FORM_OPTIONS, cardUri: TEXT };
/** What may change while a form is open. @type {Readonly<Record<string, Rule>>} */
const UPDATE_OPTIONS = {
	...{ disabled: FLAG, useCustomValidation: FLAG, submitWithPostMessage: FLAG },
	brands: ['a list of card types', (value) => Array.isArray(value) && CARD_TYPES[1](value)],
};

/**
 * Names wrong options in the console, but never their values, because some are secret.
 * @param {string} call
 * @param {Readonly<Record<string, unknown>>} options
 * @param {Readonly<Record<string, Rule>>} rules
 */
function warnOfWrong(call, options, rules) {
	for (const [name, value] of Object.entries(options)) {
		if (value === undefined || value === null) continue;
		if (!Object.hasOwn(rules, name)) {
			const beginning = name.slice(0, 5).toLowerCase();
			const near = Object.keys(rules).find((each) => each.toLowerCase().startsWith(beginning));
			console.warn(`tokendrop: ${call} has no option ${name}${near ? `; did you mean ${near}?` : ''}`);
			continue;
		}
		const [expected, isRight] = rules[name];
		if (!isRight(value)) console.warn(`tokendrop: the option ${name} of ${call} is wrong: expected ${expected}`);
	}
}

/** @type {import('./tokendrop-1.d.ts').mountCardForm} */
export function mountCardForm(element, options) {
	warnOfWrong('mountCardForm', { ...options }, CARD_OPTIONS);
	return mount(element, 'capturecard', { title: 'Card details', height: 420, ...options });
}

/** @type {import('./tokendrop-1.d.ts').mountCvvForm} */
export function mountCvvForm(element, options) {
	warnOfWrong('mountCvvForm', { ...options }, CVV_OPTIONS);
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
	const stored = settled();
	/** @type {ReturnType<typeof settled>[]} */
	let answers = [];
	/** What the form said of its fields before it says that they are not valid. */
	let invalid = NOTHING_TOLD;

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
		const told = invalid;
		invalid = NOTHING_TOLD;
		for (const answer of asked) answer.resolve(isValid ? undefined : told);
		if (isValid) emit('valid');
		else emit('invalid', told);
	};
	/** @param {Record<string, any>} content of a message in JSON */
	const hearContent = ({ formNonce, cardToken, event, ...detail }) => {
		if (formNonce !== nonce) return;
		if (typeof cardToken === 'string') {
			token.resolve(cardToken);
			stored.resolve({ token: cardToken, ...detail });
			judged(true);
			emit('token', cardToken);
			emit('stored', { token: cardToken, ...detail });
		} else if (event === 'invalid') invalid = { ...NOTHING_TOLD, ...detail };
		else if (EVENTS.includes(event)) emit(event, detail);
	};
	/** @param {MessageEvent} event */
	const hear = ({ source, origin, data }) => {
		if (source !== frame.contentWindow || origin !== address.origin || typeof data !== 'string') return;
		const content = contentOf(data);
		if (content) return hearContent(content);
		if (!data.endsWith(`:${nonce}`)) return;
		const [word, width, tall] = data.slice(0, -nonce.length - 1).split(':');
		if (word === 'ready') {
			post('listen');
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
		for (const each of [ready, token, stored, ...answers]) each.reject(error);
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
		stored: /** @type {Promise<import('./tokendrop-1.d.ts').StoredCard>} */ (stored.promise),
		on(name, listener) {
			const all = listeners.get(name) ?? new Set();
			listeners.set(name, all.add(listener));
			return () => void all.delete(listener);
		},
		validate: async () => (await ask('validate')) === undefined,
		async submit() {
			// A form that has stored its card says no more, so its token is an answer too.
			const answer = await Promise.race([token.promise, ask('submit')]);
			if (typeof answer === 'object') throw errorOf(/** @type {Invalid} */ (answer));
			return /** @type {Promise<string>} */ (token.promise);
		},
		async focus(field = '') {
			await ready.promise;
			frame.focus();
			post(field === '' ? 'focus' : `focus:${field}`);
		},
		async clear() {
			await ready.promise;
			post('clear');
		},
		async update(options) {
			warnOfWrong('update', { ...options }, UPDATE_OPTIONS);
			await ready.promise;
			post(`update:${JSON.stringify(options)}`);
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

/** The events that a form sends as they are passed on. */
const EVENTS = ['change', 'focus', 'blur', 'brand'];

/** @typedef {FormEvents['invalid']} Invalid */
/** @type {Invalid} */
const NOTHING_TOLD = { problems: [], failure: null };

/** @param {Invalid} told */
function errorOf({ problems, failure }) {
	const errors = Object.fromEntries(problems.map(({ field, text }) => [field, [text]]));
	const message = failure?.text ?? 'the form was not stored: a field is wrong';
	return new TokendropError('invalid', message, { errors, failure: failure?.reason });
}

/** Returns the content of a message in JSON. @param {string} text @returns {Record<string, any> | undefined} */
function contentOf(text) {
	if (!text.startsWith('{')) return undefined;
	try {
		return JSON.parse(text);
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
