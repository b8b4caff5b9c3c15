import type { FastifyReply } from 'fastify';
import type { Progress } from '../transfer/report.ts';
import type { VerdictLists } from './verdict-lists.ts';

/** What a streamed answer says of its cards once it is through: before, nobody knows. */
export function addTokenizationTrailers(
	reply: FastifyReply,
	verdicts: VerdictLists,
	counts: () => Omit<Progress, 'bytesRead'>,
): void {
	partNamesByCommas(reply);
	const lists = () => verdicts.close(counts().cards + counts().refused);
	reply.trailer('x-service-tokenization-errors', async () => lists().errors);
	reply.trailer('x-service-tokenization-warnings', async () => lists().warnings);
	reply.trailer('x-service-tokenization-counts', async () => {
		const { cards, refused, warned } = counts();
		return `cards=${cards}; refused=${refused}; warned=${warned}`;
	});
}

/** Fastify parts the names in `Trailer` by blanks; they are a list like any other (RFC 9110 §6.6.2). */
function partNamesByCommas(reply: FastifyReply): void {
	const setHeader = reply.header.bind(reply) as (name: string, value: unknown) => FastifyReply;
	reply.header = ((name: string, value: unknown) =>
		setHeader(name, name === 'Trailer' ? String(value).split(' ').join(', ') : value)) as FastifyReply['header'];
}
