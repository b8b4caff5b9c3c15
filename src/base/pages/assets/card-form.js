// @ts-check
// Helps while a card or a CVV is typed: groups, tells the brand, says what is wrong where it is wrong, and sends the form.

import { brandOfNumber, brandWhileTyping, coBadgesOfNumber, longestOf } from './brands.js';
import { problemOf } from './card-checks.js';
import { asciiDigits, caretIn, digitsOf, groupExpiry, groupNumber } from './digits.js';
import { openMessages } from './parent-messages.js';

const data = JSON.parse(document.getElementById('page-data')?.textContent ?? '{}');
const page = /** @type {HTMLElement} */ (document.getElementById('page'));
const form = /** @type {HTMLFormElement | null} */ (document.getElementById('card-form'));
const notice = /** @type {HTMLElement} */ (document.getElementById('notice'));
const button = /** @type {HTMLButtonElement | null} */ (document.getElementById('submit'));

/** @typedef {HTMLInputElement | HTMLSelectElement} Field */
const fields = ['cardNumber', 'cardType', 'expiry', 'cvv', 'nameOnCard', 'ownerId'].flatMap((name) => {
	const field = /** @type {Field | null} */ (document.getElementById(name));
	return field ? [field] : [];
});
/** @param {string} name */
const fieldNamed = (name) => fields.find((field) => field.name === name);
const ranges = data.ranges ?? [];
/** Fields are judged once somebody has left them, and from then on while they are typed. */
const judged = new Set();
let isSending = false;
let isDone = false;

const messages = openMessages(data, {
	validate: () => messages.tell(showAll() ? 'valid' : 'invalid'),
	submit: () => void send(),
});

/** @returns {Record<string, string>} */
function values() {
	/** @type {Record<string, string>} */
	const typed = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
	const chosen = form?.querySelector('input[name="cardType"]:checked');
	if (chosen instanceof HTMLInputElement) typed.cardType = chosen.value;
	return typed;
}

/**
 * @param {string} name
 * @param {string | undefined} text
 */
function showProblem(name, text) {
	const field = fieldNamed(name);
	const place = document.getElementById(`${name}-problem`);
	if (!field || !place) return;
	field.setAttribute('aria-invalid', text ? 'true' : 'false');
	const told = data.tellsNoProblems ? '' : (text ?? '');
	if (place.textContent !== told) place.textContent = told;
}

/** @param {string} name */
function textOf(name) {
	const least = data.minExpiry ?? 0;
	return data.problems[name]
		.replace('{month}', String(least % 100).padStart(2, '0'))
		.replace('{year}', String(Math.floor(least / 100)));
}

/** @param {string} name */
function judge(name) {
	const problem = problemOf(name, values(), data);
	showProblem(name, problem && textOf(problem));
	return problem === undefined;
}

/** Judges every field, and returns whether all are right. The first one that is wrong gets the focus. */
function showAll() {
	const wrong = fields.filter(({ name }) => {
		judged.add(name);
		return !judge(name);
	});
	if (wrong.length > 0 && !data.tellsNoProblems) wrong[0].focus();
	tell(wrong.length > 0 ? data.problems.several : '', false);
	return wrong.length === 0;
}

/**
 * @param {string} text
 * @param {boolean} isGood
 */
function tell(text, isGood) {
	notice.className = isGood ? 'notice right' : 'notice wrong';
	notice.textContent = data.tellsNoProblems && !isGood && text === data.problems.several ? '' : text;
}

/**
 * Writes a grouped text into a field and keeps the caret between the same digits. A text that is already grouped is not
 * touched, so that undo and input methods work.
 * @param {HTMLInputElement} input
 * @param {string} grouped
 * @param {boolean} isDeleting
 */
function rewrite(input, grouped, isDeleting) {
	const { value, selectionStart } = input;
	if (value === grouped) return;
	const at = selectionStart ?? value.length;
	const isAtEnd = at === value.length;
	const before = digitsOf(value.slice(0, at)).length;
	input.value = grouped;
	if (document.activeElement !== input) return;
	const caret = isAtEnd && !isDeleting ? grouped.length : caretIn(grouped, before, isDeleting);
	input.setSelectionRange(caret, caret);
}

/**
 * @param {HTMLInputElement} input
 * @param {boolean} isDeleting
 */
function tidy(input, isDeleting) {
	if (input.name === 'cardNumber') {
		const digits = digitsOf(input.value);
		const complete = brandOfNumber(ranges, digits);
		const brand = complete === 'Unspecified' ? brandWhileTyping(ranges, digits) : complete;
		const longest = longestOf(ranges, brand);
		const isCard = !/\p{L}/u.test(input.value);
		if (isCard) rewrite(input, groupNumber(digits.slice(0, Math.max(longest, 12)), brand), isDeleting);
		showBrand(digits.slice(0, longest), brand);
	} else if (input.name === 'expiry') {
		if (!/\p{L}/u.test(input.value)) rewrite(input, groupExpiry(input.value, isDeleting), isDeleting);
	} else if (input.name === 'cvv') {
		rewrite(input, asciiDigits(input.value).replace(/\s/g, ''), isDeleting);
	}
}

/**
 * @param {string} digits
 * @param {string} brand
 */
function showBrand(digits, brand) {
	const shown = document.getElementById('brand');
	const label = brand === 'Unspecified' ? '' : data.labels[brand];
	if (shown && shown.textContent !== label) shown.textContent = label;
	const hint = document.getElementById('cvv-hint');
	const text = brand === 'AMEX' ? data.texts.cvvFront : data.texts.cvvBack;
	if (hint && hint.textContent !== text) hint.textContent = text;
	offerBrands(coBadgesOfNumber(ranges, digits));
}

/**
 * Lets the holder of a co-badged card choose. The first brand is chosen until then.
 * @param {readonly string[]} types
 */
function offerBrands(types) {
	const choice = document.getElementById('brand-choice');
	const place = document.getElementById('brand-choices');
	if (!choice || !place || choice.dataset.types === types.join()) return;
	choice.dataset.types = types.join();
	choice.hidden = types.length === 0 || !data.detectsType;
	const offered = choice.hidden ? [] : types.filter((type) => !data.types || data.types.includes(type));
	place.replaceChildren(
		...offered.map((type, nth) => {
			const label = document.createElement('label');
			const input = Object.assign(document.createElement('input'), { type: 'radio', name: 'cardType', value: type });
			input.checked = nth === 0;
			label.append(input, data.labels[type]);
			return label;
		}),
	);
}

for (const field of fields) {
	const onInput = (/** @type {Event} */ event) => {
		const { isComposing, inputType = '' } = /** @type {InputEvent} */ (event);
		// While an input method composes, the text belongs to it.
		if (isComposing || isDone) return;
		if (field instanceof HTMLInputElement) tidy(field, inputType.startsWith('delete'));
		if (judged.has(field.name)) judge(field.name);
		if (field.name === 'cardNumber' && judged.has('cvv')) judge('cvv');
		if (field.name === 'cardNumber' && isCompleteNumber(field.value)) judge('cardNumber');
	};
	field.addEventListener('input', onInput);
	field.addEventListener('compositionend', onInput);
	field.addEventListener('blur', () => {
		if (field.value === '' || isDone) return;
		judged.add(field.name);
		judge(field.name);
	});
}

/** @param {string} value */
function isCompleteNumber(value) {
	const digits = digitsOf(value);
	return (
		brandOfNumber(ranges, digits) !== 'Unspecified' &&
		digits.length === longestOf(ranges, brandOfNumber(ranges, digits))
	);
}

/** @param {boolean} isOn */
function setSending(isOn) {
	isSending = isOn;
	if (!button) return;
	// A disabled button would lose the focus of the keyboard.
	button.setAttribute('aria-disabled', String(isOn));
	button.textContent = isOn ? data.texts.submitting : data.texts.submit;
}

/** Sends the form once. What was typed stays until it is stored. */
async function send() {
	if (!form || isSending || isDone) return;
	if (!showAll()) return messages.tell('invalid');
	setSending(true);
	try {
		const body = new URLSearchParams();
		for (const [name, value] of new FormData(form)) body.set(name, String(value));
		const answer = await fetch(form.action, { method: 'POST', headers: { accept: 'application/json' }, body });
		await told(answer);
	} catch {
		tell(data.errors.network, false);
		messages.tell('invalid');
	}
	if (!isDone) setSending(false);
}

/** @param {Response} answer */
async function told(answer) {
	if (answer.ok) return finish(await answer.json());
	messages.tell('invalid');
	if (answer.status === 400) return showRefused((await answer.json()).errors ?? {});
	if (answer.status === 401) return tell(data.errors.session, false);
	if (answer.status === 429 || answer.status >= 500) return tell(data.errors.busy, false);
	tell(data.errors.refused, false);
	if (data.failure) location.assign(data.failure);
}

/** @param {Record<string, string[]>} errors */
function showRefused(errors) {
	for (const [name, [text]] of Object.entries(errors)) {
		judged.add(name);
		showProblem(name, text);
	}
	const [first] = Object.keys(errors);
	if (!data.tellsNoProblems) fieldNamed(first)?.focus();
	tell(first === undefined ? data.errors.refused : data.problems.several, false);
}

/** @param {{ cardToken: string, next: string | null }} result */
function finish({ cardToken, next }) {
	isDone = true;
	// The card is stored, so the page forgets it.
	form?.reset();
	for (const field of fields) field.disabled = true;
	if (button) button.hidden = true;
	tell(data.texts.stored, true);
	messages.tellToken(cardToken);
	if (next) location.assign(next);
}

form?.addEventListener('submit', (event) => {
	event.preventDefault();
	void send();
});
if (form) {
	// The browser may have filled fields before this script ran.
	for (const field of fields) if (field instanceof HTMLInputElement && field.value !== '') tidy(field, false);
	if (data.autoFocus) fields[0]?.focus();
}
messages.tellSize(page);
messages.tell('ready');
