// Reads the answers of S3, which are XML of a fixed shape: no attributes that matter, and no element inside itself. Says why it
// refused a call, and whether the same call may succeed a moment later.

import type { OutboundAnswer } from '../http-client.ts';

/**
 * Returns the text of the first element with a name, or undefined if there is none. Whoever runs the server may send anything,
 * so no part of an answer is looked through twice.
 */
export function findText(xml: string, name: string): string | undefined {
	const begin = `<${name}`;
	for (let at = xml.indexOf(begin); at !== -1; ) {
		const sign = xml[at + begin.length];
		const inner = xml.indexOf('>', at) + 1;
		const end = xml.indexOf('<', inner);
		if (inner === 0 || end === -1) return undefined;
		const isElement = (sign === '>' || sign === ' ') && xml.startsWith(`</${name}>`, end);
		if (isElement) return decoded(xml.slice(inner, end));
		at = xml.indexOf(begin, end);
	}
}

/** Returns what is inside each element with a name. */
export function innerTexts(xml: string, name: string): string[] {
	const [begin, end] = [`<${name}>`, `</${name}>`];
	const found: string[] = [];
	for (let at = xml.indexOf(begin); at !== -1; ) {
		const to = xml.indexOf(end, at);
		if (to === -1) break;
		found.push(xml.slice(at + begin.length, to));
		at = xml.indexOf(begin, to);
	}
	return found;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const LAST_CODE_POINT = 0x10ffff;

function decoded(text: string): string {
	return text.replace(/&(?:(\w+)|#(\d+)|#x([0-9a-f]+));/gi, (whole, name, decimal, hex) => {
		if (name !== undefined) return ENTITIES[name] ?? whole;
		const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
		return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
	});
}

/** Encodes a text for the content of an element. */
export function encodedText(text: string): string {
	return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** These answers mean that the server is busy or is being restarted. */
const PASSING_STATUS = new Set([429, 500, 502, 503, 504]);
/** The server gave up waiting for the body. */
const PASSING_CODE = new Set(['RequestTimeout', 'SlowDown', 'OperationAborted', 'ConditionalRequestConflict']);
export const TOO_SKEWED = 'RequestTimeTooSkewed';
const FULL_CODE = new Set(['QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull']);

export interface Refusal {
	readonly status: number;
	/** The code of S3, for example `SlowDown`; empty if the answer has none. */
	readonly code: string;
	/** True if the same call may succeed a moment later. */
	readonly isPassing: boolean;
	/** True if the bucket takes no more bytes. */
	readonly isFull: boolean;
	/** For a clock that differs too much, the time there as the server tells it. */
	readonly serverTime?: string;
}

/** Returns why a call was refused; undefined if it was not. */
export function findRefusal({ status, body }: OutboundAnswer): Refusal | undefined {
	// S3 may find out that it cannot put an object together when it has begun to answer with 200. A part of an object, with
	// its 206, is never read as an error.
	const xml = status !== 206 ? body.toString('latin1', 0, 4096) : '';
	const isError = /^(?:<\?xml[^>]*>\s*)?<Error[ >]/.test(xml);
	if (status < 300 && !isError) return undefined;
	const code = isError ? (/^\w{1,64}$/.exec(findText(xml, 'Code') ?? '')?.[0] ?? '') : '';
	return {
		status,
		code,
		isPassing: (isError && status < 300) || PASSING_STATUS.has(status) || PASSING_CODE.has(code),
		isFull: status === 507 || FULL_CODE.has(code),
		...(code === TOO_SKEWED && { serverTime: /^[\dT:.Z-]{1,40}$/.exec(findText(xml, 'ServerTime') ?? '')?.[0] }),
	};
}

/**
 * Says what happened, in a sentence without a subject. `hints` tell the reader what to do about it, by the code of S3.
 */
export function refusalText({ status, code, serverTime }: Refusal, hints: Readonly<Record<string, string>>): string {
	if (code === TOO_SKEWED) {
		const times = `here it is ${new Date().toISOString()}${serverTime === undefined ? '' : `, there ${serverTime}`}`;
		return `refused a call because its clock and the one of this machine differ too much (${TOO_SKEWED}): ${times}`;
	}
	const hint = hints[code];
	return `answered ${status}${code && ` ${code}`}${hint === undefined ? '' : `: ${hint}`}`;
}
