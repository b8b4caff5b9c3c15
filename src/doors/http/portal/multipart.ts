// Reads forms with files (multipart/form-data, RFC 7578) as a stream, so that files may have any size.

import { ServiceError } from '../../../base/errors.ts';

const MAX_HEAD_BYTES = 8_192;
const MAX_FIELD_BYTES = 65_536;
const MAX_PARTS = 1_000;
const HEAD_END = Buffer.from('\r\n\r\n');

export interface FormPart {
	readonly name: string;
	/** The name of the file that was chosen, empty if none was chosen. Undefined for a field that is not a file. */
	readonly fileName: string | undefined;
	/** Yields the bytes of the part. Bytes that nobody reads are skipped. */
	readonly bytes: AsyncIterable<Buffer>;
	/** Returns the whole part as text, for a field of limited length. */
	text(): Promise<string>;
}

/**
 * Yields the parts of a form in their order. Each part has to be read before the next one is requested.
 * @throws ServiceError if the body is not multipart/form-data, or ends too soon
 */
export async function* readForm(
	source: AsyncGenerator<Buffer>,
	contentType: string | undefined,
): AsyncGenerator<FormPart> {
	const [, quoted, plain] = /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(
		contentType ?? '',
	) ?? [undefined, undefined, undefined];
	const boundary = quoted ?? plain;
	if (boundary === undefined) throw malformed('expected a form with files');
	// In a body, every boundary follows a line break, except the first one. So a line break is added before the body,
	// and all boundaries are searched for in the same way.
	const bytes = new Bytes(source, Buffer.from(`\r\n--${boundary}`), Buffer.from('\r\n'));
	try {
		for await (const _ of bytes.untilBoundary()); // Skips bytes before the first boundary, which have no meaning.
		for (let parts = 0; !(await bytes.isLast()); parts++) {
			if (parts === MAX_PARTS) throw malformed(`a form has ${MAX_PARTS} parts at most`);
			const part = partOf(await bytes.head(), bytes.untilBoundary());
			yield part;
			for await (const _ of part.bytes); // Skips what the caller has not read of the part.
		}
		for await (const _ of source); // Skips bytes after the last boundary, which have no meaning.
	} finally {
		await source.return(undefined);
	}
}

function partOf(head: string, content: AsyncGenerator<Buffer>): FormPart {
	const disposition = /^content-disposition:\s*form-data\b(.*)$/im.exec(head)?.[1] ?? '';
	const name = parameterOf(disposition, 'name');
	if (name === undefined) throw malformed('a part of the form has no name');
	// When a loop over this iterator stops early, the generator `content` stays open, so that the rest of the part can
	// be skipped afterwards.
	const bytes = { [Symbol.asyncIterator]: () => ({ next: () => content.next() }) };
	return {
		name,
		bytes,
		fileName: parameterOf(disposition, 'filename'),
		async text() {
			const pieces: Buffer[] = [];
			let size = 0;
			for await (const piece of bytes) {
				size += piece.length;
				if (size > MAX_FIELD_BYTES) throw malformed(`a field has ${MAX_FIELD_BYTES} bytes at most`);
				pieces.push(piece);
			}
			return Buffer.concat(pieces).toString();
		},
	};
}

/**
 * Returns a parameter of a header such as Content-Disposition. Browsers write the parameter in UTF-8, with quotes and
 * line breaks as `%22`, `%0D` and `%0A`.
 */
function parameterOf(text: string, name: string): string | undefined {
	const value = new RegExp(`;\\s*${name}="([^"]*)"`, 'i').exec(text)?.[1];
	return value?.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
}

/** Cuts a stream of bytes at the boundaries of a form, and holds the bytes that were received but not read yet. */
class Bytes {
	readonly #source: AsyncGenerator<Buffer>;
	readonly #boundary: Buffer;
	#held: Buffer;

	constructor(source: AsyncGenerator<Buffer>, boundary: Buffer, first: Buffer) {
		this.#source = source;
		this.#boundary = boundary;
		this.#held = first;
	}

	/** Yields everything before the next boundary, and skips the boundary. */
	async *untilBoundary(): AsyncGenerator<Buffer> {
		for (;;) {
			const at = this.#held.indexOf(this.#boundary);
			if (at >= 0) {
				const before = this.#held.subarray(0, at);
				this.#held = this.#held.subarray(at + this.#boundary.length);
				if (before.length > 0) yield before;
				return;
			}
			// The last bytes received may be the start of a boundary, so they are held back.
			const safe = Math.max(0, this.#held.length - this.#boundary.length + 1);
			const before = this.#held.subarray(0, safe);
			this.#held = this.#held.subarray(safe);
			if (before.length > 0) yield before;
			await this.#more();
		}
	}

	/** Tells whether the boundary that was found last is the one at the end of the form. */
	async isLast(): Promise<boolean> {
		while (this.#held.length < 2) await this.#more();
		return this.#held[0] === 0x2d && this.#held[1] === 0x2d;
	}

	/** Returns the headers of a part, and skips the empty line after them. */
	async head(): Promise<string> {
		for (;;) {
			const end = this.#held.indexOf(HEAD_END);
			if (end > MAX_HEAD_BYTES || (end < 0 && this.#held.length > MAX_HEAD_BYTES))
				throw malformed('the headers of a part are too long');
			if (end >= 0) {
				const head = this.#held.subarray(0, end).toString();
				this.#held = this.#held.subarray(end + HEAD_END.length);
				return head;
			}
			await this.#more();
		}
	}

	async #more(): Promise<void> {
		const { done, value } = await this.#source.next();
		if (done) throw malformed('the form ends too soon');
		this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value]);
	}
}

function malformed(moreInfo: string): ServiceError {
	return new ServiceError('message-malformed', { moreInfo });
}
