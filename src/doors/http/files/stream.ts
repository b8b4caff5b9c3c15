// Sends a file through the engine while it is being received. An entry is written into the audit trail before the first
// byte is sent, and another one at the end.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { TransferEngine } from '../../../engine/engine.ts';
import type { Direction } from '../../../engine/format.ts';
import { actorOf } from '../../../people/identity/principal.ts';
import type { LonePass } from '../../../vault/pages/page-owner.ts';
import { mergedOptions, ownOptionsOf } from '../../../work/jobs/format-options.ts';
import { type Ledger, type Ledgers, lonePass, type PassResult } from '../../../work/ledger/ledger.ts';
import type { StreamClaim } from '../idempotency/once.ts';
import { type ReplyBody, readBody, sendProduced } from '../input/streaming-body.ts';
import { addTokenizationTrailers, type FileCounts } from './trailers.ts';
import { VerdictLists } from './verdict-lists.ts';

interface StreamedFile {
	readonly direction: Direction;
	readonly filter: string;
	readonly claim?: StreamClaim;
}

interface FileStreamsOptions {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly engine: TransferEngine;
	readonly ledgers: Ledgers;
	readonly clock: Clock;
}

export type FileStreams = ReturnType<typeof openFileStreams>;

export function openFileStreams(options: FileStreamsOptions) {
	return {
		/**
		 * Answers with the file in which the engine has exchanged card numbers and tokens. After a failure, tokens that were
		 * already sent stay valid, and cards whose tokens were not sent are dropped.
		 */
		answer: (file: StreamedFile, request: FastifyRequest, reply: FastifyReply) =>
			streamFile(options, file, request, reply),
	};
}

async function streamFile(
	{ database, keyRing, engine, ledgers, clock }: FileStreamsOptions,
	{ direction, filter, claim }: StreamedFile,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<FastifyReply> {
	const { principal } = request;
	const pass = lonePass(clock.now().getTime());
	const own = ownOptionsOf(principal, direction);
	const scope = { accountId: principal.accountId, filter };
	const options = await mergedOptions({ database, keyRing }, scope, own ? JSON.stringify(own) : null);
	const verdicts = new VerdictLists();
	const ledger = ledgerOf(ledgers, { direction, filter }, pass, request);
	const resultOf = ({ cards, refused, otherNumbers = 0 }: FileCounts): PassResult => ({
		cards,
		details: { refused },
		others: { filter, otherNumbers },
	});
	let counts: FileCounts = { cards: 0, refused: 0, warned: 0 };

	const produce = async (body: ReplyBody) => {
		await claim?.begin({ kind: 'stream', id: pass.id });
		await ledger.begin();
		try {
			const summary = await engine.run({
				pass,
				direction,
				filter,
				options,
				isStreamed: true,
				accountId: principal.accountId,
				source: readBody(request),
				sink: body.sink,
				report: verdicts,
				onProgress: (progress) => {
					counts = progress;
				},
			});
			counts = summary;
			await ledger.end(resultOf(counts));
		} catch (error) {
			await ledger.endBroken(resultOf(body.hasStarted ? counts : { cards: 0, refused: 0, warned: 0 }));
			throw error;
		}
	};
	const begin = () => {
		reply.type('application/octet-stream');
		if (direction === 'detokenize') return;
		addTokenizationTrailers(reply, verdicts, () => counts);
	};
	return sendProduced({ request, reply }, begin, produce);
}

function ledgerOf(
	ledgers: Ledgers,
	{ direction, filter }: StreamedFile,
	{ id }: LonePass,
	{ principal }: FastifyRequest,
): Ledger {
	return ledgers.open({
		kind: 'stream',
		id,
		payer: principal,
		storesCards: direction === 'tokenize',
		actor: actorOf(principal),
		subject: `stream ${id}`,
		action: `file.${direction}`,
		details: { filter },
	});
}
