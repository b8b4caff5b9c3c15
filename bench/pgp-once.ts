// Measures in a process of its own the processor time of one way to treat a message: `node pgp-once.ts '{…}'` prints one line
// of JSON.

import { createReadStream, createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createMessage, decrypt, encrypt, readKey, readMessage, readPrivateKey } from 'openpgp';
import { formats } from '../formats/index.ts';
import { diskBlobStore } from '../src/base/blobs/disk.ts';
import { writeSpool } from '../src/base/blobs/spool.ts';
import { systemClock } from '../src/base/clock.ts';
import type { AccountId, PassId } from '../src/base/database/ids.ts';
import { openDatabase } from '../src/base/database/open.ts';
import { migrate } from '../src/base/database/schema.ts';
import { makeUlid } from '../src/base/database/ulid.ts';
import { openKeyRing } from '../src/base/keys/key-ring.ts';
import { localRootKey } from '../src/base/keys/providers/local.ts';
import { createKey, parseKey } from '../src/base/openpgp/keys.ts';
import { openMessageThreads } from '../src/base/openpgp/message-threads.ts';
import { transferEngine } from '../src/engine/engine.ts';
import { readPieces } from '../src/engine/file-source.ts';
import { openMessages } from '../src/work/pgp/messages.ts';
import { openPgpKeys } from '../src/work/pgp/pgp-keys.ts';

/**
 * `prepare` makes a key and the message of a file. `library` decrypts the message and encrypts it again with the library
 * alone, `engine` tokenizes the file, and `whole` does all of it as a job does.
 */
export interface PgpOnce {
	readonly kind: 'prepare' | 'library' | 'engine' | 'whole';
	readonly folder: string;
	readonly file: string;
}

export interface PgpOnceResult {
	readonly processorSeconds: number;
	readonly peakMb: number;
}

const accountId = 1 as AccountId;
const PIECE_BYTES = 262_144;

async function prepare({ folder, file }: PgpOnce): Promise<void> {
	const { secretKey, publicKey } = await createKey('benchmark');
	writeFileSync(`${folder}/key`, secretKey!);
	const binary = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>;
	const encryptionKeys = await readKey({ armoredKey: publicKey });
	const message = await createMessage({ binary, format: 'binary' });
	await toFile(await encrypt({ message, encryptionKeys, format: 'binary' }), `${folder}/message`);
}

async function toFile(stream: unknown, path: string): Promise<void> {
	await pipeline(Readable.fromWeb(stream as never), createWriteStream(path));
}

async function libraryAlone({ folder }: PgpOnce): Promise<void> {
	const decryptionKeys = await readPrivateKey({ armoredKey: readFileSync(`${folder}/key`, 'utf8') });
	const binaryMessage = Readable.toWeb(createReadStream(`${folder}/message`)) as ReadableStream<Uint8Array>;
	const message = await readMessage({ binaryMessage });
	const config = { allowUnauthenticatedStream: true };
	const { data } = await decrypt({ message, decryptionKeys, format: 'binary', config });
	await toFile(data, `${folder}/clear`);
	const binary = Readable.toWeb(createReadStream(`${folder}/clear`)) as ReadableStream<Uint8Array>;
	const again = await createMessage({ binary, format: 'binary' });
	const encryptionKeys = decryptionKeys.toPublic();
	await toFile(await encrypt({ message: again, encryptionKeys, format: 'binary' }), `${folder}/again`);
}

/** Returns a function that tokenizes with the engine, over a fresh database. */
async function openEngine(folder: string) {
	const database = await openDatabase({ url: `sqlite:${folder}/${makeUlid(Date.now())}.sqlite` });
	await migrate(database);
	const keyRing = await openKeyRing({
		...{ database, environment: 'sandbox' },
		root: localRootKey(Buffer.alloc(32, 1), 'benchmark'),
	});
	const accounts = {
		getAccount: async () => ({ ownerId: accountId, accountId, hasCvvRetention: false }),
		resolveMerchant: async () => accountId,
	};
	const engine = transferEngine({ database, keyRing, formats, accounts, clock: systemClock });
	const tokenize = async (source: AsyncIterable<Uint8Array>, write: (bytes: Buffer) => Promise<void>) => {
		const pass = { id: `01bench${Date.now()}${process.pid}` as PassId, begunAt: Date.now() };
		await engine.run({
			...{ pass, accountId, direction: 'tokenize', filter: 'SIMPLECSV', options: {}, source },
			sink: { write },
			report: { entry: () => undefined },
		});
		await database.knex.transaction((transaction) => engine.adopt(transaction, [pass.id]));
	};
	return { database, keyRing, accounts, tokenize };
}

async function engineAlone({ folder, file }: PgpOnce): Promise<void> {
	const { tokenize, database } = await openEngine(folder);
	const output = Writable.toWeb(createWriteStream(`${folder}/tokens`)).getWriter();
	await tokenize(readPieces(file, PIECE_BYTES), (bytes) => output.write(Buffer.from(bytes)));
	await output.close();
	await database.close();
}

/** Begins with the message as an upload has sealed it, and ends with the sealed output. */
async function openWhole({ folder }: PgpOnce) {
	const { tokenize, database, keyRing, accounts } = await openEngine(folder);
	const store = { keyRing, blobs: diskBlobStore(`${folder}/drops`) };
	const key = await parseKey('own', readFileSync(`${folder}/key`), undefined);
	const audit = { record: async () => undefined as never };
	const owner = { accountId, userId: 'bench' };
	await openPgpKeys({ database, keyRing, audit, clock: systemClock }).put(owner, 'own', key, 'bench');
	const area = { accountId, area: 'tokenize', filter: 'SIMPLECSV' };
	const input = { id: makeUlid(Date.now()), folder: area, name: 'bench.csv.pgp' };
	await writeSpool(store, input, async (writer) => {
		for await (const piece of createReadStream(`${folder}/message`)) await writer.write(piece);
	});
	const threads = openMessageThreads();
	const messages = openMessages({ database, keyRing, accounts, threads });
	return async () => {
		const options = { accept: true, outputFor: ['own'] };
		const { reader } = await messages.open(store, input, options, () => makeUlid(Date.now()));
		await writeSpool(store, { id: makeUlid(Date.now()), folder: area }, async (writer) => {
			const work = await messages.encrypt(accountId, options, (bytes) => writer.write(bytes));
			await tokenize(reader.stream(), (bytes) => work!.write(bytes));
			await work!.end();
		});
		await reader.close();
		await threads.close();
		await database.close();
	};
}

const task = JSON.parse(process.argv[2]) as PgpOnce;
const work = {
	prepare: async () => () => prepare(task),
	library: async () => () => libraryAlone(task),
	engine: async () => () => engineAlone(task),
	whole: () => openWhole(task),
};
const carryOut = await work[task.kind]();
const before = process.cpuUsage();
await carryOut();
const { user, system } = process.cpuUsage(before);
const peakMb = (process.resourceUsage().maxRSS * 1024) / 1e6;
const result: PgpOnceResult = { processorSeconds: (user + system) / 1e6, peakMb };
process.stdout.write(`${JSON.stringify(result)}\n`);
