// @ts-check
// Sends files with a bar that shows how far they are. After an interruption a file goes on where it stopped.

/** So many bytes are sent again when a file goes on, so that the service notices if it is another file. */
const OVERLAP_BYTES = 65_536;
const MAX_TRIES = 5;
const RETRY_MS = 2_000;
/** The bar is drawn at most once in this time, because drawing it takes processor time away from sending. */
const BAR_EVERY_MS = 250;

/**
 * @typedef {{ size?: number, job?: string, problem?: string, isEnded?: boolean, isOther?: boolean, user?: number, csrf?: string }} Answer
 * @typedef {{ row: HTMLElement, bar: HTMLProgressElement, said: HTMLElement }} Shown
 */

const form = /** @type {HTMLFormElement | null} */ (document.getElementById('upload'));
const list = document.getElementById('uploads');
const data = JSON.parse(document.getElementById('page-data')?.textContent ?? '{}');

if (form && list) begin(form, list);

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement} list
 */
function begin(form, list) {
	const chosen = /** @type {HTMLInputElement} */ (form.elements.namedItem('file'));
	const folder = /** @type {HTMLSelectElement} */ (form.elements.namedItem('folder'));
	const hint = document.getElementById('drop-hint');
	if (hint) hint.hidden = false;
	let last = Promise.resolve();
	/** @param {Iterable<File>} files */
	const sendAll = (files) => {
		for (const file of files) {
			const shown = showFile(list, file);
			const place = folder.value;
			// One file after the other, because together none of them would be faster.
			last = last.then(() => send(file, place, shown));
		}
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
 * @param {HTMLElement} list
 * @param {File} file
 * @returns {Shown}
 */
function showFile(list, file) {
	const row = document.createElement('li');
	const name = document.createElement('strong');
	name.textContent = file.name;
	const bar = document.createElement('progress');
	bar.max = Math.max(1, file.size);
	bar.value = 0;
	bar.setAttribute('aria-label', file.name);
	const said = document.createElement('span');
	said.textContent = data.texts.waiting;
	row.append(name, bar, said);
	list.append(row);
	return { row, bar, said };
}

/**
 * @param {File} file
 * @param {string} place
 * @param {Shown} shown
 */
async function send(file, place, shown) {
	const path = `${data.path}/${place}`;
	const { bar, said, row } = shown;
	/** @param {string} text @param {boolean} [isBad] */
	const say = (text, isBad = false) => {
		said.textContent = text;
		said.className = isBad ? 'bad' : '';
	};
	/** @param {string} text @param {() => void} work */
	const offer = (text, work) => {
		const button = document.createElement('button');
		button.type = 'button';
		button.className = 'plain';
		button.textContent = text;
		button.addEventListener('click', () => {
			button.remove();
			work();
		});
		row.append(' ', button);
	};
	const again = () => void send(file, place, shown);

	let most = -1;
	for (let tries = 0; tries < MAX_TRIES; tries++) {
		if (tries > 0) {
			say(data.texts.interrupted);
			await pause();
		}
		const kept = await ask(path, file);
		if (kept.isEnded) return ended();
		if (kept.problem !== undefined) return say(kept.problem, true);
		if (kept.size === undefined) continue;
		// The session may be a new one, and even that of another person.
		if (kept.user !== data.user) return say(data.texts.someoneElse, true);
		data.csrf = kept.csrf;
		// Only tries in vain count: a large file may be interrupted often, as long as it gets on.
		if (kept.size > most) [most, tries] = [kept.size, 0];
		// What came may be of another file of this name. If it is longer than this one, it is.
		const start = kept.size > file.size ? 0 : Math.max(0, kept.size - OVERLAP_BYTES);
		say(start > 0 ? data.texts.goesOn : data.texts.sending);
		// A browser reads a whole file where it sends it. It passes a part of one from process to process first, which takes
		// twice as long, so a file is cut only where it goes on after an interruption.
		const rest = start === 0 ? file : file.slice(start);
		const answer = await put(`${path}?offset=${start}&size=${file.size}`, file, rest, (bytes) => {
			bar.value = start + bytes;
		});
		if (answer.job !== undefined) {
			bar.value = bar.max;
			say('');
			const link = document.createElement('a');
			link.href = data.jobPath + answer.job;
			link.textContent = data.texts.accepted;
			said.append(link);
			return;
		}
		if (answer.isEnded) return ended();
		if (answer.isOther) {
			say(data.texts.other, true);
			return offer(data.texts.anew, () => void remove(path, file, again));
		}
		if (answer.problem !== undefined) {
			say(answer.problem, true);
			return offer(data.texts.again, again);
		}
		// The connection broke, or something else happened to the file: the service is asked where to go on.
	}
	say(data.texts.unreachable, true);
	offer(data.texts.again, again);

	function ended() {
		say(data.texts.ended, true);
		const link = document.createElement('a');
		link.href = data.loginPath;
		link.target = '_blank';
		link.textContent = ` ${data.texts.signIn} `;
		said.append(link);
		offer(data.texts.again, again);
	}
}

/**
 * Begins a file anew, in place of another one of its name that is not complete.
 *
 * @param {string} path
 * @param {File} file
 * @param {() => void} then
 */
async function remove(path, file, then) {
	await put(`${path}?offset=0&size=${file.size}`, file, file.slice(0, Math.min(1, file.size - 1)), () => {});
	then();
}

/**
 * The name goes into a header. It may hold a card number, for which the service refuses it, and addresses are logged by
 * proxies.
 *
 * @param {File} file
 */
function nameOf(file) {
	return encodeURIComponent(file.name.toWellFormed());
}

/** @returns {Promise<void>} */
function pause() {
	return new Promise((resolve) => setTimeout(resolve, RETRY_MS));
}

/**
 * Asks how much of a file came before.
 *
 * @param {string} path
 * @param {File} file
 * @returns {Promise<Answer>}
 */
async function ask(path, file) {
	try {
		const headers = { accept: 'application/json', 'x-file-name': nameOf(file) };
		const answer = await fetch(path, { headers, redirect: 'error' });
		return await answer.json();
	} catch {
		return {};
	}
}

/**
 * Sends the bytes of a file, or of its end. Only this kind of request tells how far it is.
 *
 * @param {string} path
 * @param {File} file
 * @param {Blob} bytes
 * @param {(bytes: number) => void} onProgress
 * @returns {Promise<Answer>}
 */
function put(path, file, bytes, onProgress) {
	return new Promise((resolve) => {
		const request = new XMLHttpRequest();
		request.open('POST', path);
		request.setRequestHeader('accept', 'application/json');
		request.setRequestHeader('content-type', 'application/octet-stream');
		request.setRequestHeader('x-file-name', nameOf(file));
		request.setRequestHeader('x-csrf-token', data.csrf);
		let toldAt = 0;
		request.upload.addEventListener('progress', ({ loaded, timeStamp }) => {
			if (timeStamp - toldAt < BAR_EVERY_MS) return;
			toldAt = timeStamp;
			onProgress(loaded);
		});
		request.addEventListener('load', () => {
			try {
				resolve(JSON.parse(request.responseText));
			} catch {
				resolve({});
			}
		});
		for (const name of ['error', 'abort', 'timeout']) request.addEventListener(name, () => resolve({}));
		request.send(bytes);
	});
}
