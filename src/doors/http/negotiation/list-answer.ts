// Sends lists of any length. Short lists are sent whole; long lists are sent while they are read, so that memory stays
// constant.

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { csvStream } from '../../../base/csv.ts';
import { answer, type XmlShape } from './answer.ts';
import { CONTENT_TYPES, successFormat } from './negotiation.ts';
import { writeXml } from './xml-writer.ts';

const MAX_HELD_ITEMS = 1000;

/**
 * Sends the items of a list in the format that the caller requested. `num` is the number of items that the list can
 * have at most; if it is large, the list is streamed.
 */
export async function answerList(
	request: FastifyRequest,
	reply: FastifyReply,
	batches: AsyncIterable<readonly object[]>,
	shape: XmlShape & { readonly num: number },
) {
	if (shape.num <= MAX_HELD_ITEMS) {
		const all: object[] = [];
		for await (const batch of batches) all.push(...batch);
		return answer(request, reply, all, shape);
	}
	const { format = successFormat(request.headers.accept) } = shape;
	reply.header('content-type', CONTENT_TYPES[format]);
	return reply.send(Readable.from(format === 'json' ? jsonPieces(batches) : xmlPieces(batches, shape)));
}

async function* jsonPieces(batches: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
	let before = '[';
	for await (const batch of batches) {
		if (batch.length === 0) continue;
		yield before + batch.map((item) => JSON.stringify(item)).join(',');
		before = ',';
	}
	yield before === '[' ? '[]' : ']';
}

async function* xmlPieces(
	batches: AsyncIterable<readonly object[]>,
	{ root, items }: XmlShape,
): AsyncGenerator<string> {
	yield `<ArrayOf${root}>`;
	for await (const batch of batches) yield batch.map((item) => writeXml(root, item, items)).join('');
	yield `</ArrayOf${root}>`;
}

export function answerCsv(reply: FastifyReply, batches: AsyncIterable<readonly object[]>, columns: readonly string[]) {
	reply.header('content-type', 'text/csv; charset=utf-8');
	return reply.send(csvOf(batches, columns));
}

/** Returns items as CSV with a header line; lists in a cell are separated by semicolons. */
export function csvOf(batches: AsyncIterable<readonly object[]>, columns: readonly string[]): Readable {
	const rows = Readable.from(items(batches));
	const csv = csvStream({ columns, header: true, lineEnd: 'windows' });
	rows.on('error', (error) => csv.destroy(error));
	csv.on('close', () => rows.destroy());
	return rows.pipe(csv);
}

async function* items(batches: AsyncIterable<readonly object[]>): AsyncGenerator<object> {
	for await (const batch of batches) yield* batch;
}
