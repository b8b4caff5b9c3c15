// @ts-check
// Sends one file to the service, from where it stopped before. What the service has kept of it is compared first, so that
// two files of one name are never mixed.

/** So many bytes are sent again when a file goes on, so that the service notices if it is another file. */
const OVERLAP_BYTES = 65_536;
/** The service makes the hash of a file from the hashes of blocks of this size, because browsers hash no longer text in pieces. */
const BLOCK_BYTES = 1_048_576;
/** A connection on which nothing moves for this long is taken for broken; an answer may take longer. */
const STALL_MS = 30_000;
const ANSWER_MS = 180_000;
/** How far a file is, is told at most once in this time, because drawing it takes processor time away from sending. */
const TELL_EVERY_MS = 250;
const DISCARD_TRIES = 5;
const DISCARD_EVERY_MS = 1_000;

/**
 * @typedef {{ size?: number, hash?: string, job?: string, problem?: string, isEnded?: boolean, isOther?: boolean, isHeld?: boolean, at?: number, accepted?: { job: string, size: number }, user?: number, csrf?: string, isBroken?: boolean }} Answer
 * @typedef {{ readonly file: File, readonly name: string, readonly place: string, isSame?: boolean, since?: number }} Sent a file, the name and the folder that it gets, whether what was kept is known to be of it, and the time of the service when it was asked first
 * @typedef {{ readonly path: string, readonly user: number }} Service
 * @typedef {{ onStart(start: number): void, onProgress(bytes: number): void, onCheck(): void }} Watcher
 */

/**
 * Sends what the service does not have yet of a file. Without an answer, `isBroken` is set.
 *
 * @param {Sent} sent
 * @param {Service} service
 * @param {AbortSignal} signal
 * @param {Watcher} watcher
 * @returns {Promise<Answer & { isSomeoneElse?: boolean }>}
 */
export async function sendRest(sent, { path, user }, signal, watcher) {
	const { file, place } = sent;
	const address = `${path}/${place}`;
	const kept = await ask(sent.since === undefined ? address : `${address}?since=${sent.since}`, sent, signal);
	if (kept.size === undefined) return kept;
	// The session may be a new one, and even that of another person.
	if (kept.user !== user) return { isSomeoneElse: true };
	// If only the answer was lost, the file is not sent a second time.
	if (kept.accepted?.size === file.size) return kept.accepted;
	sent.since ??= kept.at;
	let { size } = kept;
	if (size > file.size) return { isOther: true };
	if (size > 0 && !sent.isSame && globalThis.crypto?.subtle) {
		watcher.onCheck();
		const hashed = await ask(`${address}?hash=1`, sent, signal);
		if (hashed.size === undefined) return hashed;
		size = hashed.size;
		const hash = await hashOf(file, size, signal).catch(() => undefined);
		if (signal.aborted || hash === undefined) return { isBroken: true };
		if (hash !== hashed.hash) return { isOther: true };
	}
	sent.isSame = true;
	const start = Math.max(0, size - OVERLAP_BYTES);
	watcher.onStart(start);
	// A browser reads a whole file where it sends it. It passes a part of one from process to process first, which takes
	// twice as long, so a file is cut only where it goes on after an interruption.
	const rest = start === 0 ? file : file.slice(start);
	const headers = { ...headersOf(sent), 'content-type': 'application/octet-stream', 'x-csrf-token': kept.csrf ?? '' };
	return put(`${address}?offset=${start}&size=${file.size}`, headers, rest, signal, (bytes) =>
		watcher.onProgress(start + bytes),
	);
}

/**
 * Removes what the service has kept of a file.
 *
 * @param {Sent} sent
 * @param {Service} service
 */
export async function discard(sent, { path }) {
	const address = `${path}/${sent.place}`;
	/** @type {string | undefined} */
	let csrf;
	// The service may still be about to store what came last.
	for (let tries = 0; csrf === undefined && tries < DISCARD_TRIES; tries++) {
		if (tries > 0) await new Promise((resolve) => setTimeout(resolve, DISCARD_EVERY_MS));
		csrf = (await ask(address, sent, new AbortController().signal)).csrf;
	}
	if (csrf === undefined) return;
	const headers = { ...headersOf(sent), 'x-csrf-token': csrf };
	await fetch(`${address}/discard`, { method: 'POST', headers }).catch(() => undefined);
}

/**
 * The name goes into a header. It may hold a card number, for which the service refuses it, and addresses are logged by
 * proxies.
 *
 * @param {Sent} sent
 */
function headersOf({ name }) {
	return { accept: 'application/json', 'x-file-name': encodeURIComponent(name.toWellFormed()) };
}

/**
 * Asks how much of a file came before.
 *
 * @param {string} address
 * @param {Sent} sent
 * @param {AbortSignal} signal
 * @returns {Promise<Answer>}
 */
async function ask(address, sent, signal) {
	try {
		const answer = await fetch(address, { headers: headersOf(sent), redirect: 'error', signal });
		return read(answer.status, await answer.text());
	} catch {
		return { isBroken: true };
	}
}

/**
 * @param {number} status
 * @param {string} text
 * @returns {Answer}
 */
function read(status, text) {
	// A service that starts or stops, or a proxy without one, says so with these numbers.
	if (status === 0 || (status >= 502 && status <= 504)) return { isBroken: true };
	try {
		return JSON.parse(text);
	} catch {
		return { isBroken: true };
	}
}

/**
 * Hashes the beginning of a file as the service does.
 *
 * @param {File} file
 * @param {number} bytes
 * @param {AbortSignal} signal
 */
async function hashOf(file, bytes, signal) {
	const count = Math.ceil(bytes / BLOCK_BYTES);
	const hashes = new Uint8Array(count * 32);
	for (let n = 0; n < count && !signal.aborted; n++) {
		const block = await file.slice(n * BLOCK_BYTES, Math.min(bytes, (n + 1) * BLOCK_BYTES)).arrayBuffer();
		hashes.set(new Uint8Array(await crypto.subtle.digest('SHA-256', block)), n * 32);
	}
	const whole = new Uint8Array(await crypto.subtle.digest('SHA-256', hashes));
	return Array.from(whole, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Sends the bytes of a file, or of its end. Only this kind of request tells how far it is.
 *
 * @param {string} address
 * @param {Readonly<Record<string, string>>} headers
 * @param {Blob} bytes
 * @param {AbortSignal} signal
 * @param {(bytes: number) => void} onProgress
 * @returns {Promise<Answer>}
 */
function put(address, headers, bytes, signal, onProgress) {
	return new Promise((resolve) => {
		const request = new XMLHttpRequest();
		request.open('POST', address);
		for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
		let toldAt = 0;
		/** @type {ReturnType<typeof setTimeout> | undefined} */
		let watch;
		const watchFor = (/** @type {number} */ ms) => {
			clearTimeout(watch);
			watch = setTimeout(() => request.abort(), ms);
		};
		/** @param {Answer} answer */
		const end = (answer) => {
			clearTimeout(watch);
			signal.removeEventListener('abort', abort);
			resolve(answer);
		};
		const abort = () => request.abort();
		signal.addEventListener('abort', abort);
		request.upload.addEventListener('progress', ({ loaded, timeStamp }) => {
			if (timeStamp - toldAt < TELL_EVERY_MS) return;
			toldAt = timeStamp;
			watchFor(STALL_MS);
			onProgress(loaded);
		});
		request.upload.addEventListener('load', () => watchFor(ANSWER_MS));
		request.addEventListener('load', () => end(read(request.status, request.responseText)));
		for (const name of ['error', 'abort', 'timeout']) request.addEventListener(name, () => end({ isBroken: true }));
		if (signal.aborted) return end({ isBroken: true });
		watchFor(STALL_MS);
		request.send(bytes);
	});
}
