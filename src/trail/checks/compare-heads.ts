// Compares the audit trail with what was noted elsewhere about its length and last entry: in the lines of the file of
// heads, and in a row of the database.

import { open } from 'node:fs/promises';
import type { Knex } from 'knex';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { auditStore } from '../audit-store.ts';
import { laneStore } from '../lanes/lane-store.ts';
import { noteStore } from '../note-store.ts';
import { type HeadLine, hashOfLine, isSealOf, NO_LINE, parseHeadLine } from './head-line.ts';

/** A note about the head of the trail, with the name that messages give it, such as `line 3 of <file>`. */
interface Note {
	readonly name: string;
	readonly line: HeadLine;
}

const BATCH_LINES = 500;
const MAX_PROBLEMS = 20;

/**
 * Compares the trail with the notes about it. Returns a sentence about each mismatch, at most twenty; none if
 * everything matches. Daemons may run meanwhile.
 */
export async function compareHeads(parts: {
	database: Pick<Database, 'knex'>;
	keyRing: KeyRing;
	headFile: string;
}): Promise<string[]> {
	const { keyRing, headFile } = parts;
	const { knex } = parts.database;
	const problems: string[] = [];
	// The row of the database is read before the file of heads. Daemons write a line to the file first and to the row
	// afterwards, so the file already has the line that the row names. Lines that daemons add while this runs do no harm.
	const row = await noteStore(knex).find();
	const hashes = new Set<string>();
	let isChained = false;
	let batch: Note[] = [];
	const compareBatch = async () => {
		problems.push(...(await findMisfits(batch, knex, keyRing)));
		batch = [];
	};

	const isThere = await eachLine(headFile, async (text, number) => {
		if (problems.length >= MAX_PROBLEMS) return;
		const name = `line ${number} of ${headFile}`;
		const line = parseHeadLine(text);
		if (!line) return void problems.push(`${name} is damaged`);
		if (line.previous === NO_LINE ? isChained : !hashes.has(line.previous)) {
			problems.push(`${name}: lines before it are gone, or were gone from the database when it was written`);
		}
		isChained ||= line.previous !== NO_LINE;
		hashes.add(hashOfLine(text));
		batch.push({ name, line });
		if (batch.length === BATCH_LINES) await compareBatch();
	});
	await compareBatch();

	if (!row) problems.push('the database has lost its own note of the head');
	else if (row.line === '') {
		if (isChained) problems.push(`the database has lost its own note of the head, which ${headFile} shows it had`);
	} else {
		const line = parseHeadLine(row.line);
		const name = "the database's own note of the head";
		if (!line || line.entries !== row.seq) problems.push(`${name} is damaged`);
		else problems.push(...(await findMisfits([{ name, line }], knex, keyRing)));
		if (!isThere) problems.push(`${headFile} is not there, though the database says that the head was noted in it`);
		else if (!hashes.has(hashOfLine(row.line)))
			problems.push(`${headFile} lacks the line that the database wrote last`);
	}
	return problems.slice(0, MAX_PROBLEMS);
}

async function findMisfits(notes: readonly Note[], knex: Knex, keyRing: KeyRing): Promise<string[]> {
	const problems: string[] = [];
	const hashes = await noteStore(knex).hashesOf(notes.map(({ line }) => line.entries));
	const head = await auditStore(knex).findHead();
	for (const { name, line } of notes) {
		const opener = await keyRing.topOpener(line.environmentKey);
		const { at, entries, link } = line;
		const linked = link && (await laneStore(knex).findLink(link[0]));
		if (opener && !isSealOf(line, opener)) problems.push(`${name} was written or changed by somebody without the keys`);
		else if (!hashes.has(entries)) {
			problems.push(
				`${name}: the trail had ${entries} entries at ${at}; now it has ${head?.seq ?? 0} and not that one`,
			);
		} else if (hashes.get(entries) !== line.hash) {
			problems.push(`${name}: entry ${entries} is another one than at ${at}`);
		} else if (link && linked?.hash !== link[1]) {
			const now = linked ? 'is another one now' : 'is not there now';
			problems.push(`${name}: link ${link[0]} of the main chain ${now}, which was there at ${at}`);
		}
	}
	return problems;
}

/** Calls `look` for each line of a file; returns whether the file exists. */
async function eachLine(file: string, look: (text: string, number: number) => Promise<void>): Promise<boolean> {
	const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'ENOENT') return undefined;
		throw error;
	});
	if (!handle) return false;
	let number = 0;
	for await (const text of handle.readLines()) await look(text, ++number);
	return true;
}
