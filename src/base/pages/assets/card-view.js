// @ts-check
// Shows a card for a short time: asks for the number when somebody wants it, lets it be copied, and hides it again.

import { groupNumber } from './groups.js';
import { openMessages } from './parent-messages.js';

const data = JSON.parse(document.getElementById('page-data')?.textContent ?? '{}');
const { texts } = data;

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @returns {T | null}
 */
const find = (id) => /** @type {T | null} */ (document.getElementById(id));

const page = /** @type {HTMLElement} */ (find('page'));
const notice = /** @type {HTMLElement} */ (find('notice'));
const card = /** @type {HTMLElement} */ (find('card'));
const number = /** @type {HTMLElement} */ (find('number'));
const show = /** @type {HTMLButtonElement | null} */ (find('show'));
const copy = /** @type {HTMLButtonElement} */ (find('copy'));
const showCvv = /** @type {HTMLButtonElement | null} */ (find('show-cvv'));
const cvv = find('cvv');
const form = /** @type {HTMLFormElement | null} */ (find('code-form'));
const masked = number.textContent ?? '';

/** The number while it is shown. */
let digits = '';
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

openMessages(data, {}).tellSize(page);

/**
 * @param {string} text
 * @param {boolean} [isWrong]
 */
function tell(text, isWrong = false) {
	notice.className = isWrong ? 'notice wrong' : 'notice';
	notice.textContent = text;
}

/**
 * Asks for something and returns what the service said, or undefined if it could not be asked.
 * @param {string} path
 * @param {object} [body]
 */
async function ask(path, body = {}) {
	try {
		const response = await fetch(path, {
			method: 'POST',
			headers: { 'content-type': 'application/json', accept: 'application/json' },
			body: JSON.stringify(body),
			cache: 'no-store',
			credentials: 'omit',
		});
		const isJson = response.ok || response.status === 400;
		return { status: response.status, value: isJson ? await response.json() : {} };
	} catch {
		return undefined;
	}
}

/** @param {{ status: number } | undefined} answer */
function tellFailure(answer) {
	tell(answer === undefined ? texts.network : answer.status === 404 ? texts.gone : texts.busy, true);
	if (answer?.status === 404) {
		show?.remove();
		showCvv?.remove();
		form?.remove();
	}
}

/** @param {{ number: string, type: string | null, expiry: string | null, name: string | null }} shown */
function showNumber(shown) {
	digits = shown.number;
	number.textContent = groupNumber(digits, shown.type ?? '');
	for (const name of /** @type {const} */ (['expiry', 'name', 'type'])) {
		const place = find(name);
		const value = shown[name];
		if (place && value) place.textContent = value;
		const row = place?.closest('div');
		if (row) row.hidden = !value;
	}
	card.hidden = false;
	copy.hidden = false;
	if (show) show.textContent = texts.hide;
	tell(texts.hidesIn);
	hideLater();
}

/** @param {string} text nothing hides the row */
function showCvvDigits(text) {
	const row = cvv?.closest('div');
	if (!cvv || !row) return;
	cvv.textContent = text;
	row.hidden = text === '';
}

function hideLater() {
	clearTimeout(timer);
	timer = setTimeout(hide, data.hideSeconds * 1000);
}

function hide() {
	clearTimeout(timer);
	digits = '';
	number.textContent = masked;
	copy.hidden = true;
	showCvvDigits('');
	if (show) show.textContent = texts.show;
	else if (data.isOnce) card.hidden = true;
	tell(texts.hidden);
}

async function askNumber() {
	if (!show || show.disabled) return;
	show.disabled = true;
	const answer = await ask(data.numberPath);
	show.disabled = false;
	if (answer?.status === 200) showNumber(answer.value);
	else tellFailure(answer);
}

async function copyNumber() {
	try {
		await navigator.clipboard.writeText(digits);
		tell(texts.copied);
	} catch {
		// A frame may copy only if the page around it allows that. The older way works after a click.
		getSelection()?.selectAllChildren(number);
		tell(document.execCommand('copy') ? texts.copied : texts.copyFailed);
	}
}

show?.addEventListener('click', () => {
	if (digits === '') void askNumber();
	else hide();
});
copy.addEventListener('click', () => void copyNumber());
// What is copied by hand has no blanks either.
number.addEventListener('copy', (event) => {
	if (digits === '') return;
	event.clipboardData?.setData('text/plain', digits);
	event.preventDefault();
});

showCvv?.addEventListener('click', async () => {
	showCvv.disabled = true;
	const answer = await ask(data.cvvPath);
	if (answer?.status !== 200) {
		showCvv.disabled = false;
		return tellFailure(answer);
	}
	if (answer.value.cvv === null) return tell(texts.cvvNone, true);
	showCvvDigits(answer.value.cvv);
	const { usesLeft } = answer.value;
	const uses = find('cvv-uses');
	if (uses) uses.textContent = texts.cvvUses.replace('{count}', String(usesLeft));
	showCvv.disabled = usesLeft === 0;
	tell(texts.hidesIn);
	hideLater();
});

form?.addEventListener('submit', async (event) => {
	event.preventDefault();
	const code = /** @type {HTMLInputElement} */ (find('code'));
	const problem = /** @type {HTMLElement} */ (find('code-problem'));
	const button = /** @type {HTMLButtonElement} */ (find('open'));
	if (button.disabled) return;
	if (code.value.trim() === '') {
		problem.textContent = texts.required;
		code.setAttribute('aria-invalid', 'true');
		code.focus();
		return;
	}
	button.disabled = true;
	const answer = await ask(data.numberPath, { code: code.value });
	button.disabled = false;
	if (answer?.status === 200) {
		form.remove();
		showNumber(answer.value);
		number.focus();
	} else if (answer?.status === 400) {
		const { triesLeft } = answer.value;
		problem.textContent = triesLeft > 0 ? texts.wrongCode.replace('{count}', String(triesLeft)) : texts.noTries;
		code.setAttribute('aria-invalid', 'true');
		code.select();
		if (triesLeft === 0) {
			tell(texts.noTries, true);
			form.remove();
		}
	} else tellFailure(answer);
});

// A page that the browser keeps for the back button must not keep the number.
addEventListener('pagehide', hide);

if (data.isFull) void askNumber();
