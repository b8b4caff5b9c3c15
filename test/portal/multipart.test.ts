// Tests how forms with files are read from pieces of any length.

import test from 'ava';
import fc from 'fast-check';
import { ServiceError } from '../../src/base/errors.ts';
import { readForm } from '../../src/doors/http/portal/multipart.ts';

const TYPE = 'multipart/form-data; boundary=----x';

/** Yields bytes in pieces of the lengths given, again and again. */
async function* inPieces(bytes: Buffer, lengths: readonly number[]): AsyncGenerator<Buffer> {
	for (let at = 0, turn = 0; at < bytes.length; turn++) {
		const length = lengths[turn % lengths.length];
		yield bytes.subarray(at, at + length);
		at += length;
	}
}

function formOf(parts: readonly { name: string; fileName?: string; content: Buffer }[]): Buffer {
	const pieces = parts.flatMap(({ name, fileName, content }) => {
		const file = fileName === undefined ? '' : `; filename="${fileName.replaceAll('"', '%22')}"`;
		return [
			Buffer.from(`------x\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`),
			content,
			Buffer.from('\r\n'),
		];
	});
	return Buffer.concat([...pieces, Buffer.from('------x--\r\n')]);
}

async function partsOf(body: Buffer, lengths: readonly number[], type: string | undefined = TYPE) {
	const found: { name: string; fileName: string | undefined; content: Buffer }[] = [];
	for await (const { name, fileName, bytes } of readForm(inPieces(body, lengths), type)) {
		const pieces: Buffer[] = [];
		for await (const piece of bytes) pieces.push(piece);
		found.push({ name, fileName, content: Buffer.concat(pieces) });
	}
	return found;
}

test('any content arrives as it was sent, however the bytes come', async (t) => {
	const near = fc
		.constantFrom('\r\n', '\r\n------', '------x', '\r', '--', '\r\n------y')
		.map((text) => Buffer.from(text));
	const any = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes));
	const content = fc
		.array(fc.oneof(near, any), { maxLength: 6 })
		.map((pieces) => Buffer.concat(pieces))
		.filter((bytes) => !bytes.includes('\r\n------x'));
	const part = fc.record({
		name: fc.constantFrom('a', 'file'),
		fileName: fc.constantFrom('', 'may.csv', 'a"b.csv', 'é.csv'),
		content,
	});
	await t.notThrowsAsync(
		fc.assert(
			fc.asyncProperty(
				fc.array(part, { maxLength: 5 }),
				fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
				async (parts, lengths) => {
					t.deepEqual(await partsOf(formOf(parts), lengths), parts);
				},
			),
		),
	);
});

test('a part that nobody reads is skipped, and fields are short', async (t) => {
	const body = formOf([
		{ name: 'a', content: Buffer.alloc(100_000, 1) },
		{ name: 'b', content: Buffer.from('x') },
	]);
	const names: string[] = [];
	for await (const { name } of readForm(inPieces(body, [999]), TYPE)) names.push(name);
	t.deepEqual(names, ['a', 'b']);
	for await (const part of readForm(inPieces(body, [999]), TYPE)) {
		await t.throwsAsync(part.text(), { instanceOf: ServiceError });
		break;
	}
});

test('whatever else comes is refused, and ends', async (t) => {
	const body = formOf([{ name: 'a', fileName: 'b', content: Buffer.from('c') }]);
	for (let length = 0; length < body.length - 4; length++)
		await t.throwsAsync(partsOf(body.subarray(0, length), [7]), { instanceOf: ServiceError }, String(length));
	await t.throwsAsync(partsOf(body, [7], 'text/plain'), { instanceOf: ServiceError });
	await t.throwsAsync(partsOf(body, [7], 'multipart/form-data'), { instanceOf: ServiceError });
	await t.throwsAsync(partsOf(Buffer.from(`------x\r\n${'h'.repeat(9_000)}`), [500]), { instanceOf: ServiceError });
	await t.throwsAsync(partsOf(Buffer.from('------x\r\nX: y\r\n\r\nz\r\n------x--'), [3]), { instanceOf: ServiceError });
});
