// @ts-check
// Helps while a card or a CVV is typed: groups, tells the brand, says what is wrong where it is wrong, and sends the form.

import { openBrandChoice } from './brand-choice.js';
import { asciiDigits, judgeFields, judgeStoredCvv, longestOf, typedBrandOf } from './card-rules.js';
import { caretIn, digitsOf, groupExpiry } from './digits.js';
import { openFormEvents } from './form-events.js';
import { groupNumber } from './groups.js';
import { openMessages } from './parent-messages.js';

const data = JSON.parse(document.getElementById('page-data')?.textContent ?? '{}');
const page = /** @type {HTMLElement} */ (document.getElementById('page'));
const form = /** @type {HTMLFormElement | null} */ (document.getElementById('card-form'));
const notice = /** @type {HTMLElement} */ (document.getElementById('notice'));
const button = /** @type {HTMLButtonElement | null} */ (document.getElementById('submit'));

/** @typedef {HTMLInputElement | HTMLSelectElement} Field */
/** @typedef {import('./form-events.js').Problem} Problem */
const fields = ['cardNumber', 'cardType', 'expiry', 'cvv', 'nameOnCard', 'ownerId'].flatMap((name) => {
	const field = /** @type {Field | null} */ (document.getElementById(name));
	return field ? [field] : [];
});
/** @param {string} name */
const fieldNamed = (name) => fields.find((field) => field.name === name);
const MIN_NUMBER_DIGITS = 12;

/** Fields are judged once somebody has left them, and from then on while they are typed. */
const judged = new Set();
let isSending = false;
let isDone = false;
/** The number was left, so that its last digits are those at its end. */
let isNumberLeft = false;

const messages = openMessages(data, {
	validate: () => void (showAll() ? messages.tell('valid') : tellInvalid()),
	submit: () => void send(),
	listen,
	focus: (name) => (name === '' ? fields[0] : fieldNamed(name))?.focus(),
	clear,
	update: (text) => update(text),
});
const events = openFormEvents(messages);
const choice = openBrandChoice(data, () => {
	if (judged.has('cardNumber')) judge('cardNumber');
	tellChange('cardType');
	tellBrand();
});

/** @returns {Record<string, string>} */
function values() {
	/** @type {Record<string, string>} */
	const typed = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
	if (choice.chosen !== undefined) typed.cardType = choice.chosen;
	return typed;
}

/**
 * Returns what is wrong with the fields, by the rules of the service. The month is that of the service too, because the clock
 * of a browser may be wrong.
 * @returns {Record<string, string>}
 */
function problems() {
	if (data.kind === 'card') return judgeFields(values(), data, data.month).problems;
	const { problem } = judgeStoredCvv(values().cvv ?? '', data.brand);
	return problem === undefined ? {} : { cvv: problem };
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

/** @param {string} reason */
function textOf(reason) {
	const least = data.minExpiry ?? 0;
	return data.problems[reason]
		.replace('{month}', String(least % 100).padStart(2, '0'))
		.replace('{year}', String(Math.floor(least / 100)));
}

/** @param {string} name */
function judge(name) {
	const { [name]: problem } = problems();
	showProblem(name, problem && textOf(problem));
	return problem === undefined;
}

/** Judges every field, and returns whether all are right. The first one that is wrong gets the focus. */
function showAll() {
	const found = problems();
	for (const { name } of fields) {
		judged.add(name);
		showProblem(name, found[name] && textOf(found[name]));
	}
	const wrong = fields.filter(({ name }) => name in found);
	if (!data.tellsNoProblems) wrong[0]?.focus();
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
 * Tells the page around the form that nothing was stored, and why.
 * @param {Readonly<Record<string, Problem>>} [found] what is wrong with the fields, as the service says
 * @param {Problem | null} [failure] what else went wrong
 */
function tellInvalid(found, failure = null) {
	if (events.isHeard || data.tellsNoProblems) {
		const own = Object.entries(problems()).map(([field, reason]) => ({ field, reason, text: textOf(reason) }));
		const told = found ? Object.entries(found).map(([field, problem]) => ({ field, ...problem })) : failure ? [] : own;
		messages.tellEvent('invalid', { problems: told, failure });
	}
	messages.tell('invalid');
}

/** @param {string} name */
function tellChange(name) {
	if (!events.isHeard) return;
	const { [name]: reason } = problems();
	const problem = reason !== undefined && judged.has(name) ? { reason, text: textOf(reason) } : null;
	events.tellChange(name, { value: values()[name] ?? '', problem, isRight: reason === undefined });
}

function tellBrand() {
	if (data.kind !== 'card') return;
	const digits = digitsOf(fieldNamed('cardNumber')?.value ?? '');
	const brand = typedBrandOf(digits);
	const isRight = !('cardNumber' in problems());
	const isSure = isNumberLeft || digits.length === longestOf(brand);
	events.tellBrand(digits, { brand: choice.chosen ?? brand, brands: choice.offered, isRight, isSure });
}

/** From now on the page around the form is told what happens, and at first what has happened so far. */
function listen() {
	events.listen();
	for (const { name, value } of fields) if (value !== '') tellChange(name);
	if (fieldNamed('cardNumber')?.value) tellBrand();
}

/** Makes the form empty. */
function clear() {
	if (!form || isSending || isDone) return;
	form.reset();
	judged.clear();
	isNumberLeft = false;
	for (const field of fields) {
		if (field instanceof HTMLInputElement) field.value = '';
		showProblem(field.name, undefined);
	}
	tell('', false);
	if (data.kind === 'card') choice.show('', 'Unspecified');
	for (const { name } of fields) tellChange(name);
	tellBrand();
}

/** @type {Readonly<Record<string, (value: any) => void>>} */
const UPDATES = {
	disabled: (value) => {
		for (const field of fields) field.disabled = value === true;
		if (button) button.disabled = value === true;
	},
	useCustomValidation: (value) => {
		data.tellsNoProblems = value === true;
		for (const { name } of fields) if (judged.has(name)) judge(name);
	},
	submitWithPostMessage: (value) => {
		if (button) button.hidden = value === true;
	},
	brands: (value) => {
		choice.want(Array.isArray(value) ? value : []);
		tellBrand();
	},
};

/** Changes what may change while the form is open. @param {string} text options as JSON */
function update(text) {
	if (!form || isDone) return;
	/** @type {unknown} */
	let options;
	try {
		options = JSON.parse(text);
	} catch {
		return console.warn('tokendrop: expected the options of update as JSON');
	}
	for (const [name, value] of Object.entries(Object(options))) {
		if (Object.hasOwn(UPDATES, name)) UPDATES[name](value);
		else console.warn(`tokendrop: update has no option ${name}`);
	}
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
		const brand = typedBrandOf(digits);
		const longest = longestOf(brand);
		const isCard = !/\p{L}/u.test(input.value);
		if (isCard) rewrite(input, groupNumber(digits.slice(0, Math.max(longest, MIN_NUMBER_DIGITS)), brand), isDeleting);
		choice.show(digits.slice(0, longest), brand);
	} else if (input.name === 'expiry') {
		if (!/\p{L}/u.test(input.value)) rewrite(input, groupExpiry(input.value, isDeleting), isDeleting);
	} else if (input.name === 'cvv') {
		rewrite(input, asciiDigits(input.value).replace(/\s/g, ''), isDeleting);
	}
}

for (const field of fields) {
	const onInput = (/** @type {Event} */ event) => {
		const { isComposing, inputType = '' } = /** @type {InputEvent} */ (event);
		// While an input method composes, the text belongs to it.
		if (isComposing || isDone) return;
		const isNumber = field.name === 'cardNumber';
		if (isNumber) isNumberLeft = false;
		if (field instanceof HTMLInputElement) tidy(field, inputType.startsWith('delete'));
		if (judged.has(field.name)) judge(field.name);
		if (isNumber && judged.has('cvv')) judge('cvv');
		if (isNumber && isWholeNumber(field.value)) judge('cardNumber');
		tellChange(field.name);
		if (isNumber) tellBrand();
	};
	field.addEventListener('input', onInput);
	field.addEventListener('compositionend', onInput);
	field.addEventListener('focus', () => events.tellFocus('focus', field.name));
	field.addEventListener('blur', () => {
		events.tellFocus('blur', field.name);
		if (field.value === '' || isDone) return;
		const isFirst = !judged.has(field.name);
		judged.add(field.name);
		const isRight = judge(field.name);
		if (isFirst && !isRight) tellChange(field.name);
		if (field.name !== 'cardNumber') return;
		isNumberLeft = true;
		tellBrand();
	});
}

/** @param {string} value */
function isWholeNumber(value) {
	const digits = digitsOf(value);
	const brand = typedBrandOf(digits);
	return brand !== 'Unspecified' && digits.length === longestOf(brand);
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
	if (!showAll()) return tellInvalid();
	setSending(true);
	try {
		// Fields that the page around the form has disabled are sent too, which FormData would leave out.
		const { value: id } = /** @type {HTMLInputElement} */ (form.elements.namedItem('form'));
		const body = new URLSearchParams({ form: id, ...values() });
		const answer = await fetch(form.action, { method: 'POST', headers: { accept: 'application/json' }, body });
		await told(answer);
	} catch {
		fail('network');
	}
	if (!isDone) setSending(false);
}

/** @param {Response} answer */
async function told(answer) {
	if (answer.ok) return finish(await answer.json());
	if (answer.status === 400) return showRefused((await answer.json()).errors ?? {});
	if (answer.status === 401) return fail('session');
	if (answer.status === 429 || answer.status >= 500) return fail('busy');
	fail('refused');
	if (data.failure) location.assign(data.failure);
}

/** @param {string} reason */
function fail(reason) {
	const text = data.errors[reason];
	tell(text, false);
	tellInvalid({}, { reason, text });
}

/** @param {Record<string, string[]>} errors */
function showRefused(errors) {
	/** @type {Record<string, Problem>} */
	const found = {};
	for (const [name, [text]] of Object.entries(errors)) {
		judged.add(name);
		showProblem(name, text);
		const reason = Object.keys(data.problems).find((each) => textOf(each) === text) ?? 'refused';
		found[name] = { reason, text };
	}
	const [first] = Object.keys(errors);
	if (first === undefined) return fail('refused');
	if (!data.tellsNoProblems) fieldNamed(first)?.focus();
	tell(data.problems.several, false);
	tellInvalid(found);
}

/** @param {{ cardToken: string, next: string | null, card: Readonly<Record<string, string>> | null }} result */
function finish({ cardToken, next, card }) {
	isDone = true;
	// The card is stored, so the page forgets it.
	form?.reset();
	for (const field of fields) field.disabled = true;
	if (button) button.hidden = true;
	tell(data.texts.stored, true);
	messages.tellToken(cardToken, events.isHeard && card ? card : undefined);
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
