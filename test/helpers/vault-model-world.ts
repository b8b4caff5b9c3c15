// Runs the real side of the vault's model test, with accounts that call the whole app. Compares what they see and what the
// database holds with the model.

import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { LightMyRequestResponse } from 'fastify';
import type { RecordPlace } from '../../src/vault/cards/card-rows.ts';
import { TokenCipher } from '../../src/vault/tokens/token.ts';
import { FIXTURE_TIME } from './begun-database.ts';
import { asJson } from './card-calls.ts';
import { type Caller, type HttpApp, TEST_BASE_URL } from './http-app.ts';
import { JSON_PROFILE, type ThirdParty } from './third-party.ts';
import {
	isBlock,
	isPayment,
	type Kept,
	ownerOf,
	type Refusal,
	ROLES,
	type Role,
	type VaultModel,
} from './vault-model.ts';

export const PAYCARD = '/api/payments/paycard';
export const BLOCKS = '/api/datablocks';
const SIDE_TABLES = [
	...(['token_refs', 'associations', 'fingerprints', 'foreign_tokens', 'cvvs', 'cvv_destinations'] as const),
] as const;

/** One run of the model test, with accounts of its own in parts that all runs share. */
export interface VaultWorld {
	readonly parts: HttpApp;
	readonly party: ThirdParty;
	readonly callers: Readonly<Record<Role, Caller>>;
	nameOf(role: Role | 'nobody'): string;
}

let runs = 0;

/**
 * Returns the time at which a run starts. All runs share the parts and their clock, so the starts are further apart than a
 * run lasts, unless one of its commands turns the clock by hours.
 */
const startOf = (run: number) => FIXTURE_TIME.getTime() + (run % 600) * 61_000;

/** Makes four accounts, on the same day as those of every other run. */
export async function openVaultWorld(parts: HttpApp, party: ThirdParty): Promise<VaultWorld> {
	const run = ++runs;
	parts.clock.turn(startOf(run) - parts.clock.now().getTime());
	const nameOf = (role: Role | 'nobody') => `${role}${run}`;
	const hotel = await parts.createCaller(nameOf('hotel'), { cvvRetention: true });
	const clerk = await parts.createCaller(nameOf('clerk'), { kind: 'sub-user', parent: nameOf('hotel') });
	const shop = await parts.createCaller(nameOf('shop'));
	const agency = await parts.createCaller(nameOf('agency'), { cvvRetention: true });
	for (const { account } of [hotel, shop, agency]) await parts.profiles.put(account.id, JSON_PROFILE);
	return { parts, party, callers: { hotel, clerk, shop, agency }, nameOf };
}

/** Checks that a response is the standard error that the model expects. */
export function checkRefusal(response: LightMyRequestResponse, { status, code, message, field }: Refusal): void {
	const { moreInfo, ...error } = response.json();
	deepStrictEqual([response.statusCode, error], [status, { code, message }], response.body);
	if (field === null) strictEqual(moreInfo, null);
	else ok(moreInfo.includes(field ?? ''), `${moreInfo} should name ${field}`);
}

export function checkStatus(response: LightMyRequestResponse, status: number): void {
	strictEqual(response.statusCode, status, response.body);
}

/** Returns the metadata of a token as a list shows it to a reader (shapes §3). */
export function listedAs(model: VaultModel, world: VaultWorld, reader: Role, kept: Kept): Record<string, unknown> {
	const card = kept.card!;
	const [ExpirationYear, ExpirationMonth] = card.expiry.split('-');
	const endsAt = model.cvvOf(kept)?.endsAt;
	const isSeen = (merchant: Role) => kept.owner === ownerOf(reader) || merchant === ownerOf(reader);
	return {
		CreateDate: new Date(kept.createdAt).toISOString(),
		CardType: card.type,
		LastDigits: card.number.slice(-4),
		LeadingDigits: card.number.slice(0, 6),
		ExpirationYear,
		ExpirationMonth,
		OwnerID: null,
		UserID: world.nameOf(kept.creator),
		IssueNumber: null,
		OwnerName: card.name,
		URI: `${TEST_BASE_URL}${PAYCARD}/${kept.token}`,
		EndRetentionDate: endsAt === undefined ? null : new Date(endsAt).toISOString(),
		CvvExists: endsAt !== undefined,
		VirtualInfo: null,
		AssociatedMerchants: merchantsOf(kept).filter(isSeen).map(world.nameOf),
		AssociatedProperties: [],
	};
}

export function merchantsOf(kept: Kept): Role[] {
	return ROLES.filter((role) => kept.merchants.has(role as never));
}

export function blockItem(world: VaultWorld, kept: Kept) {
	return {
		Token: kept.token,
		URI: `${TEST_BASE_URL}${BLOCKS}/${kept.token}`,
		CreateDate: new Date(kept.createdAt).toISOString(),
		Reference: [...kept.references][0] ?? null,
		UserID: world.nameOf(kept.creator),
	};
}

/** Compares with the model what one account sees of one token: its metadata, or the refusal that everybody else gets. */
export async function compareToken(model: VaultModel, world: VaultWorld, role: Role, token: string): Promise<void> {
	const response = await world.callers[role].inject('GET', `${PAYCARD}/${token}/meta`, asJson);
	const refusal = model.refusesUse(role, token, ['card', 'network-token']);
	if (refusal) {
		checkRefusal(response, refusal);
		return;
	}
	checkStatus(response, 200);
	const { CreatorReference, ...seen } = response.json();
	const kept = model.find(token)!;
	deepStrictEqual(seen, listedAs(model, world, role, kept));
	if (kept.references.size === 0) strictEqual(CreatorReference, null);
	else ok(kept.references.has(CreatorReference), `${CreatorReference} is no reference of the token`);
}

/** Compares with the model what every account lists, and what all of them see of some tokens. */
export async function compareViews(model: VaultModel, world: VaultWorld, tokens: readonly string[]): Promise<void> {
	for (const role of ['hotel', 'shop', 'agency'] as const) {
		const listed = await world.callers[role].inject('GET', `${PAYCARD}/meta?num=1000`, asJson);
		checkStatus(listed, 200);
		deepStrictEqual(
			listed.json(),
			model.listOf(role, isPayment).map((kept) => listedAs(model, world, role, kept)),
		);
	}
	for (const token of tokens) for (const role of ROLES) await compareToken(model, world, role, token);
}

/**
 * Compares with the model everything that the accounts see, and the rows behind it: nothing may be left of what is deleted,
 * and nothing else may be missing.
 */
export async function compareAll(model: VaultModel, world: VaultWorld): Promise<void> {
	const tokens = model.all.map(({ token }) => token);
	await compareViews(model, world, tokens);
	for (const role of ROLES) {
		const blocks = await world.callers[role].inject('GET', BLOCKS, asJson);
		deepStrictEqual(
			blocks.json(),
			model.listOf(role, isBlock).map((kept) => blockItem(world, kept)),
		);
	}
	await compareRows(model, world);
	await compareNumbers(model, world);
}

/** Deletes everything, and checks that no row of it is left. */
export async function removeAll(model: VaultModel, world: VaultWorld): Promise<void> {
	for (const kept of model.all.filter(({ isGone }) => !isGone)) {
		const path = isBlock(kept) ? BLOCKS : PAYCARD;
		checkStatus(await world.callers[kept.owner].inject('DELETE', `${path}/${kept.token}`, asJson), 200);
		model.remove(kept);
	}
	await compareRows(model, world);
}

async function compareRows(model: VaultModel, world: VaultWorld): Promise<void> {
	const { database, keyRing } = world.parts;
	const { knex } = database;
	const cipher = new TokenCipher(await keyRing.all('token'));
	const foreign = new Map<string, RecordPlace>();
	for (const { token, page_id: page, slot } of await knex('foreign_tokens')) {
		if (model.find(token.toString('hex'))) foreign.set(token.toString('hex'), { page, slot });
	}
	// A token that was deleted before the vault moved is none of the vault that it moved to.
	const findPlace = (token: string) => foreign.get(token) ?? cipher.decodeOne(token as never);
	const placeOf = (token: string) => findPlace(token)!;
	const everUsed = [...new Set(model.all.map(({ token }) => findPlace(token)?.page ?? 0))];
	const live = model.all.filter(({ isGone }) => !isGone);
	const liveOn = new Map<number, number>();
	for (const { token } of live) liveOn.set(placeOf(token).page, (liveOn.get(placeOf(token).page) ?? 0) + 1);
	const ids = Object.values(world.callers).map(({ account }) => account.id);
	const pages = await knex('pages').whereIn('account_id', ids).select('id', 'live');
	deepStrictEqual(
		sorted(pages.map(({ id, live: count }) => `${id} ${count}`)),
		sorted(liveOn, ([id, n]) => `${id} ${n}`),
	);
	const rows = async (table: (typeof SIDE_TABLES)[number], show: (row: Record<string, unknown>) => string) => {
		const found = await knex(table).whereIn('page_id', everUsed);
		return sorted(found, (row) => `${row.page_id}/${row.slot} ${show(row)}`);
	};
	const expected = (show: (kept: Kept) => readonly unknown[]) =>
		sorted(
			live.flatMap((kept) => {
				const { page, slot } = placeOf(kept.token);
				return show(kept).map((what) => `${page}/${slot} ${what}`);
			}),
		);
	const referenced = await rows('token_refs', ({ reference }) => String(reference));
	deepStrictEqual(
		referenced,
		expected(({ references }) => [...references]),
	);
	const findable = await rows('fingerprints', () => 'fingerprint');
	deepStrictEqual(
		findable,
		expected(({ isFindable }) => (isFindable ? ['fingerprint'] : [])),
	);
	const cvvs = await rows('cvvs', ({ ends_at, delete_card }) => `${ends_at} ${delete_card === 1}`);
	deepStrictEqual(
		cvvs,
		expected(({ cvv }) => (cvv ? [`${cvv.endsAt} ${cvv.deletesCard}`] : [])),
	);
	const destinations = await rows('cvv_destinations', ({ type, data, used }) => `${type} ${data} ${used}`);
	deepStrictEqual(
		destinations,
		expected(({ cvv }) => cvv?.destinations.map(({ type, data, used }) => `${type} ${data} ${used}`) ?? []),
	);
	const ofOthers = await rows('foreign_tokens', ({ token }) => (token as Buffer).toString('hex'));
	deepStrictEqual(
		ofOthers,
		expected(({ token }) => (foreign.has(token) ? [token] : [])),
	);
	// Associations of whole pages are compared through the tokens on them; here no association may be left of what is deleted.
	const places = new Set(expected(() => ['']).map((place) => place.trim()));
	for (const { page_id, slot } of await knex('associations').whereIn('page_id', everUsed)) {
		ok(slot === -1 ? liveOn.has(page_id) : places.has(`${page_id}/${slot}`), `association of ${page_id}/${slot}`);
	}
	deepStrictEqual(await knex('page_blocks').select(), []);
}

/** Compares the clear numbers behind the tokens, which only the vault itself can show. */
async function compareNumbers(model: VaultModel, world: VaultWorld): Promise<void> {
	for (const kept of model.all) {
		if (kept.kind !== 'card') continue;
		const found = await world.parts.vault.find(world.callers[kept.owner].account.id, kept.token as never);
		strictEqual(found?.record.digits.toString(), kept.isGone ? undefined : kept.card!.number);
	}
}

function sorted<T>(rows: Iterable<T>, show: (row: T) => string = String): string[] {
	return [...rows].map(show).sort();
}
