import type { FastifyReply } from 'fastify';
import type { Progress, Summary } from '../../../engine/report.ts';
import { MAX_LIST_CHARACTERS, type VerdictLists } from './verdict-lists.ts';

/**
 * The numbers of cards in a file, by outcome. `otherNumbers` and `notices` are known only at the end of the file and
 * may be missing before.
 */
export type FileCounts = Omit<Progress, 'bytesRead'> & Partial<Pick<Summary, 'otherNumbers' | 'notices'>>;

/** Adds trailers about the cards of a streamed answer, because the counts are known only at its end. */
export function addTokenizationTrailers(reply: FastifyReply, verdicts: VerdictLists, counts: () => FileCounts): void {
	partNamesByCommas(reply);
	const lists = () => verdicts.close(counts().cards + counts().refused);
	reply.trailer('x-service-tokenization-errors', async () => lists().errors);
	reply.trailer('x-service-tokenization-warnings', async () => lists().warnings);
	reply.trailer('x-service-tokenization-counts', async () => {
		const { cards, refused, warned, otherNumbers = 0 } = counts();
		const others = otherNumbers > 0 ? `; otherNumbers=${otherNumbers}` : '';
		return `cards=${cards}; refused=${refused}; warned=${warned}${others}`;
	});
	reply.trailer('x-service-tokenization-notices', async () => noticesText(counts().notices ?? []));
}

/**
 * Returns the notices about a file as one text for a trailer, as many as fit into it without cutting one in the middle.
 * Characters beyond ASCII, as in names of columns, become `?`, because a trailer cannot contain them.
 */
function noticesText(notices: readonly string[]): string {
	let text = '';
	for (const notice of notices) {
		const longer = `${text}${text === '' ? '' : ';;'}${notice.replace(/[^\x20-\x7e]/g, '?')}`;
		if (longer.length > MAX_LIST_CHARACTERS) break;
		text = longer;
	}
	return text;
}

/**
 * Separates the names in the header `Trailer` by commas. Fastify separates them by blanks, but the header is a
 * comma-separated list (RFC 9110 §6.6.2).
 */
function partNamesByCommas(reply: FastifyReply): void {
	const setHeader = reply.header.bind(reply) as (name: string, value: unknown) => FastifyReply;
	reply.header = ((name: string, value: unknown) =>
		setHeader(name, name === 'Trailer' ? String(value).split(' ').join(', ') : value)) as FastifyReply['header'];
}
