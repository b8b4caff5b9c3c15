// Puts questions to the trail for commands, which name things as people do.

import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemClock } from '../../base/clock.ts';
import { csvRows, csvStream } from '../../base/csv.ts';
import { ServiceError } from '../../base/errors.ts';
import { nameOf } from '../../people/portal-users/users.ts';
import {
	openTrailQuestions,
	type TrailAnswer,
	type TrailPage,
	type TrailQuestion,
	type TrailReader,
} from '../../trail/questions/questions.ts';
import { TRAIL_COLUMNS, type TrailEntry, trailCells } from '../../trail/questions/trail-entry.ts';
import type { TrailAuthor, TrailObject } from '../../trail/questions/trail-object.ts';
import { LiveTokens } from '../../vault/tokens/live-tokens.ts';
import { findToken } from '../../vault/tokens/token.ts';
import type { InstallationParts } from '../opening/open-parts.ts';

/** A question to the trail as a command line puts it. */
export interface AskedTrail {
	readonly token?: string;
	readonly job?: string;
	readonly file?: string;
	readonly destination?: string;
	readonly profile?: string;
	readonly cardRequest?: string;
	readonly route?: string;
	readonly call?: string;
	readonly userId?: string;
	readonly person?: string;
	readonly operator?: string;
	readonly apiKey?: number;
	readonly sshKey?: number;
	/** Actions and areas, separated by commas. */
	readonly kind?: string;
	readonly since?: number;
	readonly until?: number;
}

type Parts = Pick<InstallationParts, 'database' | 'audit' | 'keyRing' | 'actor'>;

const LAYOUT = { columns: TRAIL_COLUMNS, header: true, lineEnd: 'unix' } as const;

/**
 * Answers a question with one page.
 * @throws ServiceError if something that is asked for cannot be, or holds a card number
 */
export async function askTrail(parts: Parts, asked: AskedTrail, page: TrailPage): Promise<TrailAnswer> {
	return readerOf(parts).ask(await questionOf(parts, asked), page);
}

/**
 * Writes entries as CSV: those that are given, or all that fit a question. The stream is left open.
 * @throws as `askTrail`
 */
export async function writeTrail(parts: Parts, asked: AskedTrail | readonly TrailEntry[], stream: Writable) {
	if (isList(asked)) {
		stream.write(csvRows(asked.map(trailCells), LAYOUT));
		return;
	}
	const entries = readerOf(parts).readAll(await questionOf(parts, asked));
	const rows = async function* () {
		for await (const entry of entries) yield trailCells(entry);
	};
	await pipeline(rows, csvStream(LAYOUT), stream, { end: false });
}

function isList(asked: AskedTrail | readonly TrailEntry[]): asked is readonly TrailEntry[] {
	return Array.isArray(asked);
}

function readerOf({ database, audit, keyRing, actor }: Parts) {
	const tokens = new LiveTokens({ database, keyRing, clock: systemClock });
	return openTrailQuestions({ database, audit, pagesOf: (token) => tokens.pagesOf(token) }).ofInstallation(actor);
}

async function questionOf(parts: Parts, asked: AskedTrail): Promise<TrailQuestion> {
	const { token, job, file: name, destination, profile, cardRequest, route, call, kind, since, until } = asked;
	const things: (TrailObject | undefined)[] = [
		token === undefined ? undefined : { kind: 'token', id: tokenOf(token) },
		job === undefined ? undefined : { kind: 'job', id: job },
		name === undefined ? undefined : { kind: 'file', name },
		destination === undefined ? undefined : { kind: 'destination', name: destination },
		profile === undefined ? undefined : { kind: 'profile', name: profile },
		cardRequest === undefined ? undefined : { kind: 'card-request', id: cardRequest },
		route === undefined ? undefined : { kind: 'route', id: route },
		call === undefined ? undefined : { kind: 'call', id: call },
	];
	const { userId, person, operator, apiKey, sshKey } = asked;
	const authors: (TrailAuthor | undefined)[] = [
		userId === undefined ? undefined : { kind: 'account', userId },
		person === undefined ? undefined : { kind: 'person', ids: await idsOf(readerOf(parts), person) },
		operator === undefined ? undefined : { kind: 'operator', name: operator },
		apiKey === undefined ? undefined : { kind: 'api-key', id: apiKey },
		sshKey === undefined ? undefined : { kind: 'ssh-key', id: sshKey },
	];
	const [about, ...others] = things.filter((thing) => thing !== undefined);
	const [by, ...more] = authors.filter((author) => author !== undefined);
	if (others.length > 0) throw oneOf('thing');
	if (more.length > 0) throw oneOf('actor');
	const kinds = kind?.split(',').map((each) => each.trim());
	// With a thing, the other one is who acted; alone, it may as well be what an entry is about.
	return { about: about ?? by, by: about && by, kinds, since, until };
}

async function idsOf(reader: TrailReader, person: string): Promise<number[]> {
	const ids = await reader.findPeople(nameOf(person));
	if (ids.length > 0) return ids;
	const problem = 'the trail knows no user of the portal with this name';
	throw new ServiceError('bad-input-parameter', { field: 'person', problem });
}

function tokenOf(text: string): string {
	const token = findToken(text.trim());
	if (token === undefined) {
		throw new ServiceError('bad-input-parameter', {
			field: 'token',
			problem: 'expected a token: 32 hexadecimal digits',
		});
	}
	return token;
}

function oneOf(what: 'thing' | 'actor'): ServiceError {
	return new ServiceError('bad-input-parameter', { moreInfo: `ask about one ${what} at a time` });
}
