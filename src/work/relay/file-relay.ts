// Exchanges cards in files on their way between our caller and a partner's SFTP server. Clear bytes are only in memory:
// one window of the engine, and what is on its way to the partner.

import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import { badInput } from '../../base/errors.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { Logger } from '../../base/log/log.ts';
import { resolveTarget } from '../../base/outbound/addresses.ts';
import { Places } from '../../base/outbound/places.ts';
import { openSftpSession, type SftpConnectOptions } from '../../base/outbound/sftp/sftp-client.ts';
import { openDownload } from '../../base/outbound/sftp/sftp-download.ts';
import { partnerTimeout } from '../../base/outbound/sftp/sftp-failures.ts';
import type { SftpPartner } from '../../base/outbound/sftp/sftp-partner.ts';
import type { SftpSession } from '../../base/outbound/sftp/sftp-session.ts';
import { beginUpload, type Upload } from '../../base/outbound/sftp/sftp-upload.ts';
import type { TransferEngine } from '../../engine/engine.ts';
import type { Progress, ReportEntry, ReportSink, Summary } from '../../engine/report.ts';
import type { Sink } from '../../engine/transfer-file.ts';
import { actorOf, type Principal } from '../../people/identity/principal.ts';
import { mergedOptions, ownOptionsOf } from '../jobs/format-options.ts';
import { type Ledgers, lonePass } from '../ledger/ledger.ts';
import type { Destinations } from './partners/destinations.ts';
import { choosePartner, type PartnerChoice, type PartnerFile } from './partners/partner-choice.ts';

/** A daemon runs so many transfers, each of which takes megabytes and a connection. Others get a 503. */
const MAX_TRANSFERS = 100;
/**
 * One account has at most this many transfers, which is half of `MAX_TRANSFERS`. A slow partner occupies a transfer for
 * hours, so the other half is kept for other accounts.
 */
const MAX_TRANSFERS_OF_ACCOUNT = 50;
/** A transfer is ended after this time, however slow both sides are. */
const MAX_TRANSFER_MS = 6 * 3_600_000;
/** The time limit for a second connection to a partner, which removes our unfinished file after the first one broke. */
const CLEANUP_CONNECT_MS = 10_000;
/** An answer contains at most this many entries of the report; the counts in the answer are always complete. */
const MAX_ENTRIES = 100;

export interface FileRelayOptions {
	readonly database: Database;
	readonly keyRing: Pick<KeyRing, 'seals'>;
	readonly engine: TransferEngine;
	readonly ledgers: Pick<Ledgers, 'open'>;
	readonly destinations: Pick<Destinations, 'getPartner'>;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly environment: 'sandbox' | 'production';
	/** True if partners in private, link-local and metadata ranges may be reached. */
	readonly allowPrivate: boolean;
	/** The deadlines for the connection; tests set shorter ones. */
	readonly deadlines?: Pick<SftpConnectOptions, 'connectMs' | 'idleMs'>;
	/** The largest number of transfers that one account has at one time; tests set a lower one. */
	readonly maxTransfersOfAccount?: number;
}

interface FileOrder {
	readonly principal: Principal;
	readonly filter: string;
	readonly choice: PartnerChoice;
	/** This signal is aborted when the caller goes away. */
	readonly signal: AbortSignal;
}

export interface RelayOrder extends FileOrder {
	readonly source: AsyncIterable<Uint8Array>;
	/** True if an existing file with this name may be replaced. */
	readonly replaces: boolean;
	/** Called when the whole file is at the partner, before it gets its final name. If it throws, the transfer ends. */
	beforePublishing?(): Promise<void>;
}

export interface CaptureOrder extends FileOrder {
	readonly sink: Sink;
	readonly report: ReportSink;
	/** This function is called with the fingerprint of the host key before the first byte is written to `sink`. */
	onConnected(hostKey: string): void;
	onProgress(progress: Progress): void;
}

export type FileRelay = ReturnType<typeof openFileRelay>;

/** Opens the relay of files. It counts the transfers of this daemon. */
export function openFileRelay(options: FileRelayOptions) {
	const { database, keyRing, engine, ledgers, destinations, clock, logger, environment, allowPrivate, deadlines } =
		options;

	const connect = (partner: SftpPartner, more: Partial<SftpConnectOptions> = {}) =>
		openSftpSession(partner, {
			resolve: (host, signal) => resolveTarget(host, { allowPrivate, signal, field: 'host' }),
			...deadlines,
			...more,
		});
	const choose = ({ choice, principal }: FileOrder) =>
		choosePartner(choice, { destinations, ownerId: principal.ownerId, environment });

	/** Prepares what both directions need: the engine's options, and the ledger, which names partner and file. */
	const prepare = async (action: 'file.relay' | 'file.capture', order: FileOrder, file: PartnerFile) => {
		const { principal, filter } = order;
		const { accountId } = principal;
		const pass = lonePass(clock.now().getTime());
		const options = ownOptionsOf(principal, action === 'file.capture' ? 'tokenize' : 'detokenize');
		const own = options ? JSON.stringify(options) : null;
		const { host, port } = file.partner;
		const details = { filter, host, port, fileName: file.fileName, destination: file.destination ?? null };
		const entry = { actor: actorOf(principal), subject: `stream ${pass.id}`, action, details };
		return {
			run: { pass, accountId, filter, options: await mergedOptions({ database, keyRing }, { accountId, filter }, own) },
			ledger: ledgers.open({
				kind: 'transfer',
				id: pass.id,
				payer: principal,
				...entry,
				storesCards: action === 'file.capture',
			}),
		};
	};

	/** Removes our unfinished file from the partner, if need be over a new connection; true if nothing is left there. */
	const clear = async (upload: Upload, session: SftpSession, partner: SftpPartner): Promise<boolean> => {
		if (session.isAlive) return upload.remove(session);
		const known = { ...partner, hostKeys: [session.hostKey] };
		const second = await connect(known, { connectMs: CLEANUP_CONNECT_MS }).catch(() => undefined);
		const isGone = second !== undefined && (await upload.remove(second));
		second?.end();
		return isGone;
	};

	const relay = async (order: RelayOrder) => {
		const file = await choose(order);
		const { partner, folder, fileName } = file;
		const watch = watchTransfer(order.signal);
		const { run, ledger } = await prepare('file.relay', order, file);
		const session = await connect(partner, { signal: watch.signal });
		let upload: Upload | undefined;
		const entries: ReportEntry[] = [];
		let summary: Summary | undefined;
		try {
			upload = await beginUpload(session, { folder, fileName, replaces: order.replaces });
			watch.onEnd((reason) => upload!.abandon(reason));
			await ledger.begin();
			summary = await engine.run({
				...run,
				direction: 'detokenize',
				host: partner.host,
				source: order.source,
				sink: upload,
				report: { entry: (entry) => void (entries.length < MAX_ENTRIES && entries.push(entry)) },
			});
			if (summary.bytesRead === 0) throw badInput('body', 'expected a file');
			// If the caller has gone away, the file does not get its name at the partner, because the caller would not learn
			// of it and would send it again.
			watch.signal.throwIfAborted();
			await upload.publish(order.beforePublishing);
		} catch (error) {
			if (upload) {
				const isCleared = await clear(upload, session, partner);
				const { temporaryPath } = upload;
				if (!isCleared) logger.warn({ host: partner.host, temporaryPath }, 'a part of a file stays at a partner');
				await ledger.endBroken({ details: { isCleared } });
			}
			throw watch.meaning(error);
		} finally {
			watch.stop();
			session.end();
		}
		const { cards, unresolved, bytesWritten } = summary;
		await ledger.end({ cards, details: { unresolved, bytes: bytesWritten } });
		return { file, hostKey: session.hostKey, summary, entries };
	};

	const capture = async (order: CaptureOrder): Promise<Summary> => {
		const file = await choose(order);
		const watch = watchTransfer(order.signal);
		const prepared = await prepare('file.capture', order, file);
		// The ledger checks the allowance before the partner is called, because a call would be useless if the account may
		// store nothing.
		await prepared.ledger.ask();
		const session = await connect(file.partner, { signal: watch.signal });
		watch.onEnd((reason) => session.fail(reason));
		try {
			const download = await openDownload(session, file.folder, file.fileName);
			order.onConnected(session.hostKey);
			await prepared.ledger.begin();
			return await captureWith(prepared, download.read(), order);
		} catch (error) {
			throw watch.meaning(error);
		} finally {
			watch.stop();
			session.end();
		}
	};

	async function captureWith(
		{ run, ledger }: Awaited<ReturnType<typeof prepare>>,
		source: AsyncIterable<Uint8Array>,
		{ sink, report, onProgress }: CaptureOrder,
	): Promise<Summary> {
		let progress: Progress = { bytesRead: 0, cards: 0, refused: 0, warned: 0 };
		let hasLeft = false;
		try {
			const summary = await engine.run({
				...run,
				direction: 'tokenize',
				isStreamed: true,
				source,
				report,
				sink: {
					write(bytes) {
						hasLeft = true;
						return sink.write(bytes);
					},
				},
				onProgress(now) {
					progress = now;
					onProgress(now);
				},
			});
			const { cards, refused, bytesRead, otherNumbers } = summary;
			const details = { refused, bytes: bytesRead, ...(otherNumbers > 0 && { otherNumbers }) };
			await ledger.end({ cards, details, others: { filter: run.filter, otherNumbers } });
			return summary;
		} catch (error) {
			const cards = hasLeft ? progress.cards : 0;
			await ledger.endBroken({ cards, details: { refused: progress.refused } });
			throw error;
		}
	}

	const places = new Places({
		maxInFlight: MAX_TRANSFERS,
		maxInFlightPerAccount: options.maxTransfersOfAccount ?? MAX_TRANSFERS_OF_ACCOUNT,
		shareTaken: 'the account has as many transfers under way as it may',
	});
	const oneOf = async <Result>({ principal }: FileOrder, transfer: () => Promise<Result>): Promise<Result> => {
		places.take(principal.ownerId);
		try {
			return await transfer();
		} finally {
			places.give(principal.ownerId);
		}
	};
	return {
		/**
		 * Detokenizes a file on its way to a partner, where it appears either complete or not at all.
		 * @throws ServiceError, FileError
		 */
		relay: (order: RelayOrder) => oneOf(order, () => relay(order)),
		/**
		 * Tokenizes a partner's file on its way to the sink. Tokens sent before a failure stay valid.
		 * @throws as `relay`
		 */
		capture: (order: CaptureOrder) => oneOf(order, () => capture(order)),
	};
}

function watchTransfer(caller: AbortSignal) {
	const limit = AbortSignal.timeout(MAX_TRANSFER_MS);
	const signal = AbortSignal.any([caller, limit]);
	const listeners: (() => void)[] = [];
	return {
		signal,
		onEnd(listener: (reason: Error) => void) {
			const told = () => listener(signal.reason);
			listeners.push(told);
			signal.addEventListener('abort', told, { once: true });
			if (signal.aborted) told();
		},
		/**
		 * Returns a timeout error if the time was over, because every later failure is only a consequence of that;
		 * otherwise returns the given error.
		 */
		meaning: (error: unknown) => (limit.aborted ? partnerTimeout('the transfer took too long') : error),
		stop() {
			for (const listener of listeners) signal.removeEventListener('abort', listener);
		},
	};
}
