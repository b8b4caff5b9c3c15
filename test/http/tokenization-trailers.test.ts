import test from 'ava';
import type { FastifyReply } from 'fastify';
import { addTokenizationTrailers } from '../../src/doors/http/files/trailers.ts';
import { VerdictLists } from '../../src/doors/http/files/verdict-lists.ts';
import type { ReportEntry } from '../../src/engine/report.ts';

test('trailers of a file with much to say have less than 4 KiB each and less than 8 KiB together', async (t) => {
	const lists = new VerdictLists();
	const cards = 100_000;
	for (let card = 1; card <= cards; card++) {
		lists.entry({ reason: 'Expired card', warnings: ['The Card type is missing'] } as unknown as ReportEntry, card);
	}
	const trailers: [string, () => Promise<string>][] = [];
	const reply = {
		header: () => reply,
		trailer: (name: string, make: () => Promise<string>) => trailers.push([name, make]),
	};
	const notices = Array.from({ length: 1000 }, (_, i) => `column ${i}: read as text`);
	const counts = { cards, refused: cards, warned: cards, otherNumbers: cards, notices };
	addTokenizationTrailers(reply as unknown as FastifyReply, lists, () => counts as never);
	const lines = await Promise.all(trailers.map(async ([name, make]) => `${name}: ${await make()}\r\n`));
	t.is(lines.length, 4);
	t.true(Math.max(...lines.map(({ length }) => length)) < 4096);
	t.true(lines.join('').length < 8192);
	t.true(lines.join('').length > 4096);
});
