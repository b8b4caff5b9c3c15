// @ts-check
// Sends files one after the other, while people walk through the portal. A file goes on by itself when the network is back,
// and where it stopped when it is chosen again.

import { discard, sendRest } from './portal-sender.js';
import { onShown, pageData } from './portal-shown.js';
import { openTray } from './portal-tray.js';

const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 15_000;
/** The weight of the last moment in the rate that is shown. */
const FRESH = 0.3;

/**
 * @typedef {'waiting' | 'sending' | 'paused' | 'interrupted' | 'ended' | 'refused' | 'other' | 'done'} State
 * @typedef {{ sent: import('./portal-sender.js').Sent, row: import('./portal-tray.js').TrayRow, state: State, control?: AbortController, tries: number, timer?: ReturnType<typeof setTimeout>, done: number, doneAt: number, rate: number }} Upload
 */

/** What is lost with the document. Those that are refused are not. @type {ReadonlySet<State>} */
const UNDER_WAY = new Set(['waiting', 'sending', 'paused', 'interrupted', 'ended']);

/** @type {Upload[]} */
const uploads = [];
/** The paths, the user and the texts, as the page has them that was shown when the script began. */
const own = pageData();
const texts = own.texts;
/** @type {ReturnType<typeof openTray> | undefined} */
let tray;

document.documentElement.classList.add('scripted');
addEventListener('beforeunload', (event) => {
	if (uploads.some(({ state }) => UNDER_WAY.has(state))) event.preventDefault();
});
addEventListener('offline', () => {
	for (const upload of uploads) if (upload.state === 'sending') upload.control?.abort();
	for (const upload of uploads) if (upload.state === 'interrupted') sayInterrupted(upload);
});
addEventListener('online', () => {
	for (const upload of uploads) if (upload.state === 'interrupted') enqueue(upload);
});
document.addEventListener('click', ({ target }) => {
	const button = target instanceof Element ? target.closest('[data-continue]') : null;
	if (button instanceof HTMLElement) chooseAgain(button);
});
onShown(() => {
	// Whoever has signed in again, in this document, goes on.
	if (document.getElementById('idle')) for (const upload of uploads) if (upload.state === 'ended') enqueue(upload);
	const form = document.getElementById('upload');
	if (form instanceof HTMLFormElement) wire(form);
});

/** @param {HTMLFormElement} form */
function wire(form) {
	const chosen = /** @type {HTMLInputElement} */ (form.elements.namedItem('file'));
	const folder = /** @type {HTMLSelectElement} */ (form.elements.namedItem('folder'));
	const hint = document.getElementById('drop-hint');
	if (hint) hint.hidden = false;
	/** @param {Iterable<File>} files */
	const sendAll = (files) => {
		for (const file of files) add(file, folder.value, file.name);
	};
	form.addEventListener('submit', (event) => {
		event.preventDefault();
		sendAll(chosen.files ?? []);
		chosen.value = '';
	});
	for (const name of ['dragenter', 'dragover']) {
		form.addEventListener(name, (event) => {
			event.preventDefault();
			form.classList.add('over');
		});
	}
	for (const name of ['dragleave', 'drop']) form.addEventListener(name, () => form.classList.remove('over'));
	form.addEventListener('drop', (event) => {
		event.preventDefault();
		sendAll(/** @type {DragEvent} */ (event).dataTransfer?.files ?? []);
	});
}

/**
 * Goes on with a file of the list that was interrupted: with the one that is here still, or with one that is chosen.
 *
 * @param {HTMLElement} button
 */
function chooseAgain({ dataset }) {
	const [place, name] = [dataset.continue ?? '', dataset.name ?? ''];
	const here = uploads.find(({ sent, state }) => sent.place === place && sent.name === name && state !== 'done');
	if (here) {
		enqueue(here);
		return;
	}
	const field = document.createElement('input');
	field.type = 'file';
	field.addEventListener('change', () => {
		const [file] = field.files ?? [];
		if (file) add(file, place, name);
	});
	field.click();
}

/**
 * @param {File} file
 * @param {string} place
 * @param {string} name
 */
function add(file, place, name) {
	tray ??= openTray(texts);
	/** @type {Upload} */
	const upload = {
		sent: { file, place, name },
		row: tray.add(name, file.size),
		state: 'waiting',
		...{ tries: 0, done: 0, doneAt: 0, rate: 0 },
	};
	uploads.push(upload);
	enqueue(upload);
}

/** @param {Upload} upload */
function enqueue(upload) {
	clearTimeout(upload.timer);
	if (upload.state === 'sending') return;
	set(upload, 'waiting', { text: texts.waiting, buttons: [pauseButton(upload), cancelButton(upload)] });
	next();
}

/** Sends the first file that waits. One goes after the other, because together none of them would be faster. */
function next() {
	if (uploads.some(({ state }) => state === 'sending')) return;
	const upload = uploads.find(({ state }) => state === 'waiting');
	if (upload) void send(upload).finally(next);
}

/** @param {Upload} upload */
async function send(upload) {
	const { sent, row } = upload;
	const control = new AbortController();
	upload.control = control;
	const buttons = [pauseButton(upload), cancelButton(upload)];
	set(upload, 'sending', { text: texts.sending, buttons });
	let first = -1;
	const answer = await sendRest(sent, own, control.signal, {
		onCheck: () => row.say({ text: texts.checking, buttons }),
		onStart(start) {
			first = start;
			Object.assign(upload, { done: start, doneAt: performance.now(), rate: 0 });
			row.draw(start, figuresOf(upload));
			row.say({ text: start > 0 ? texts.goesOn : texts.sending, buttons });
		},
		onProgress(done) {
			const now = performance.now();
			const fresh = ((done - upload.done) * 1000) / Math.max(1, now - upload.doneAt);
			upload.rate = upload.rate === 0 ? fresh : upload.rate * (1 - FRESH) + fresh * FRESH;
			Object.assign(upload, { done, doneAt: now });
			row.draw(done, figuresOf(upload));
		},
	});
	// It was paused or cancelled, which has said so.
	if (upload.state !== 'sending') return;
	settle(upload, answer, upload.done > first && first >= 0);
}

/**
 * @param {Upload} upload
 * @param {import('./portal-sender.js').Answer & { isSomeoneElse?: boolean }} answer
 * @param {boolean} hasMoved
 */
function settle(upload, answer, hasMoved) {
	const { sent, row } = upload;
	const again = { key: 'again', label: texts.again, act: () => enqueue(upload) };
	const close = { key: 'close', label: texts.close, act: () => forget(upload) };
	const bad = (/** @type {State} */ state, /** @type {string} */ text, /** @type {any} */ more) =>
		set(upload, state, { text, isBad: true, ...more });
	if (answer.job !== undefined) {
		upload.done = sent.file.size;
		row.draw(sent.file.size, figuresOf({ ...upload, rate: 0 }));
		const link = { href: own.jobPath + answer.job, text: texts.accepted };
		return set(upload, 'done', { text: '', link, buttons: [close] });
	}
	if (answer.isEnded) {
		const link = { href: own.loginPath, text: texts.signIn, isOutside: true };
		return bad('ended', texts.ended, { link, buttons: [again, cancelButton(upload)] });
	}
	if (answer.isSomeoneElse) return bad('refused', texts.someoneElse, { buttons: [close] });
	if (answer.isOther) {
		const anew = { key: 'anew', label: texts.anew, act: () => void discard(sent, own).then(() => enqueue(upload)) };
		return bad('other', texts.other, { buttons: [anew, close] });
	}
	if (answer.problem !== undefined && !answer.isHeld)
		return bad('refused', answer.problem, { buttons: [again, close] });
	// The connection broke, or something else happened to the file: the service is asked where to go on.
	upload.tries = hasMoved || answer.size !== undefined ? 0 : upload.tries + 1;
	upload.state = 'interrupted';
	sayInterrupted(upload);
	const after = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.max(0, upload.tries - 1));
	upload.timer = setTimeout(() => enqueue(upload), after);
}

/** @param {Upload} upload */
function sayInterrupted(upload) {
	const text = navigator.onLine ? (upload.tries > 2 ? texts.unreachable : texts.interrupted) : texts.offline;
	const again = { key: 'again', label: texts.again, act: () => enqueue(upload) };
	set(upload, 'interrupted', { text, isBad: true, buttons: [again, pauseButton(upload), cancelButton(upload)] });
}

/** @param {Upload} upload */
function pauseButton(upload) {
	const act = () => {
		clearTimeout(upload.timer);
		const again = { key: 'again', label: texts.again, act: () => enqueue(upload) };
		set(upload, 'paused', { text: texts.paused, buttons: [again, cancelButton(upload)] });
		upload.control?.abort();
	};
	return { key: 'pause', label: texts.pause, act };
}

/** @param {Upload} upload */
function cancelButton(upload) {
	const act = () => {
		forget(upload);
		tray?.tell(`${upload.sent.name}: ${texts.cancelled}`);
		upload.control?.abort();
		// Only what came of this file is removed. It is not known whether something kept is of it before it was compared.
		if (upload.sent.isSame) void discard(upload.sent, own);
	};
	return { key: 'cancel', label: texts.cancel, act };
}

/** @param {Upload} upload */
function forget(upload) {
	clearTimeout(upload.timer);
	upload.state = 'done';
	uploads.splice(uploads.indexOf(upload), 1);
	upload.row.remove();
	mark();
}

/**
 * @param {Upload} upload
 * @param {State} state
 * @param {import('./portal-tray.js').Said} said
 */
function set(upload, state, said) {
	upload.state = state;
	upload.row.say(said);
	mark();
}

function mark() {
	tray?.mark(uploads.some(({ state }) => UNDER_WAY.has(state)));
}

/** Returns percent, rate and time left. @param {Upload} upload */
function figuresOf({ sent, done, rate }) {
	const language = document.documentElement.lang;
	/** @param {number} value @param {string} unit */
	const written = (value, unit) =>
		new Intl.NumberFormat(language, {
			...{
				style: 'unit',
				unit,
				unitDisplay: 'short',
				maximumFractionDigits: value < 10 && unit.startsWith('mega') ? 1 : 0,
			},
		}).format(value);
	const share = sent.file.size === 0 ? 1 : done / sent.file.size;
	const percent = new Intl.NumberFormat(language, { style: 'percent' }).format(Math.floor(share * 100) / 100);
	if (rate <= 0) return percent;
	const speed = rate < 1e6 ? written(rate / 1e3, 'kilobyte-per-second') : written(rate / 1e6, 'megabyte-per-second');
	const seconds = (sent.file.size - done) / rate;
	const left = seconds < 90 ? written(Math.ceil(seconds), 'second') : written(Math.round(seconds / 60), 'minute');
	return `${percent} · ${speed} · ${texts.left.replace('{time}', left)}`;
}
