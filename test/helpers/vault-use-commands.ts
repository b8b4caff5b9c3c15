// These commands of the vault's model test share cards, relay them and use data blocks, and do what an installation does by
// itself: they rotate keys, let time pass and run retention.

import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import type { AccountId } from '../../src/base/database/ids.ts';
import { rotateKeys } from '../../src/installation/keys/key-rotation.ts';
import { purgeCvvs } from '../../src/vault/cvvs/purge-cvvs.ts';
import { sweep } from '../../src/vault/pages/sweep.ts';
import { asJson, json } from './card-calls.ts';
import { callsOf } from './third-party.ts';
import { command, merchant, nth, pick, queryOf, role, type VaultCommand } from './vault-command.ts';
import {
	badInput,
	isBlock,
	isPayment,
	type Kept,
	NO_TOKEN,
	type Owner,
	ownerOf,
	PAYMENTS,
	type Role,
	type VaultModel,
} from './vault-model.ts';
import { BLOCKS, blockItem, checkRefusal, checkStatus, merchantsOf, PAYCARD } from './vault-model-world.ts';

const associate = command('associate', fc.record({ role, nth, merchant }), async (asked, model, world) => {
	const token = pick(model, asked.nth, asked.role, isPayment);
	const url = `${PAYCARD}/${token}/merchants/${world.nameOf(asked.merchant)}`;
	const response = await world.callers[asked.role].inject('PUT', url, asJson);
	const refusal = model.refusesMerchant(asked.role, asked.merchant) ?? model.refusesRule(asked.role, token, PAYMENTS);
	if (refusal) checkRefusal(response, refusal);
	else {
		deepStrictEqual([response.statusCode, response.body], [200, '']);
		model.find(token)!.merchants.add(asked.merchant as Owner);
	}
	return [token];
});

/**
 * Returns whether a call must treat a merchant as nobody: no account learns that another one has sub-users (shapes §11).
 */
const isNobody = (role: Role, merchant: Role | 'nobody' | 'all') =>
	merchant === 'nobody' || (merchant === 'clerk' && ownerOf(role) !== 'hotel');

/** The merchant that a call dissociates, mostly one that the token is associated with. */
const FORMER = fc.constantFrom<Role | 'nobody' | 'first' | 'all'>(
	...(['first', 'first', 'first', 'all', 'shop', 'clerk', 'nobody'] as const),
);
const isShared = ({ merchants }: Kept) => merchants.size > 0;
const dissociate = command('dissociate', fc.record({ role, nth, former: FORMER }), async (asked, model, world) => {
	const token = pick(model, asked.nth, asked.role, isShared);
	const kept = model.find(token);
	const former = asked.former === 'first' ? ((kept && merchantsOf(kept)[0]) ?? 'shop') : asked.former;
	const one = former === 'all' ? '' : `/${world.nameOf(former)}`;
	const response = await world.callers[asked.role].inject('DELETE', `${PAYCARD}/${token}/merchants${one}`, asJson);
	const refusal =
		(isNobody(asked.role, former) ? badInput('merchantId') : undefined) ??
		model.refusesRule(asked.role, token, PAYMENTS);
	if (refusal) checkRefusal(response, refusal);
	else {
		deepStrictEqual([response.statusCode, response.body], [200, '']);
		if (former === 'all') kept!.merchants.clear();
		else kept!.merchants.delete(former as Owner);
	}
	return [token];
});

const listMerchants = command('merchants', fc.record({ role, nth }), async (asked, model, world) => {
	const token = pick(model, asked.nth, asked.role, isPayment);
	const response = await world.callers[asked.role].inject('GET', `${PAYCARD}/${token}/merchants`, asJson);
	const refusal = model.refusesUse(asked.role, token, PAYMENTS);
	if (refusal) checkRefusal(response, refusal);
	else {
		const own = ownerOf(asked.role);
		const isSeen = (each: Role) => model.isOwn(asked.role, token) || each === own;
		deepStrictEqual(response.json(), merchantsOf(model.find(token)!).filter(isSeen).map(world.nameOf));
	}
	return [];
});

const RELAY = fc.record({ role, nth, host: fc.constantFrom('127.0.0.1', 'localhost'), hasPlace: fc.boolean() });
const relay = command('relay', RELAY, async ({ role, nth, host, hasPlace }, model, world) => {
	const token = pick(model, nth, role, ({ cvv }) => cvv !== undefined);
	const before = world.party.seen.length;
	const targetUri = `http://${host}:${new URL(world.party.url).port}/`;
	const payload = JSON.stringify({ card: { number: '', month: '', year: '', ...(hasPlace && { cvv: '' }) } });
	const { relay } = callsOf(world.callers[role], world.party);
	const response = await relay({ cardToken: token, targetUri }, { payload });
	const refusal = model.refusesUse(role, token, PAYMENTS);
	if (refusal) {
		checkRefusal(response, refusal);
		strictEqual(world.party.seen.length, before);
		return [];
	}
	checkStatus(response, 200);
	const kept = model.find(token)!;
	const [year, month] = kept.card!.expiry.split('-');
	const { number, ...rest } = JSON.parse(world.party.seen.at(-1)!.text).card;
	const cvv = hasPlace ? { cvv: model.useCvv(role, kept, host, world.nameOf) ?? '' } : {};
	deepStrictEqual([world.party.seen.length, rest], [before + 1, { month, year, ...cvv }]);
	const shown = (text: string) => (kept.kind === 'card' ? text : `${text.slice(0, 6)} ${text.slice(-4)}`);
	strictEqual(shown(number), shown(kept.card!.number));
	return [token];
});

const BLOCK = fc.record({
	role,
	Payload: fc.constantFrom('passport', ' a & b\n'),
	Reference: fc.constantFrom('r1', '', undefined),
});
const storeBlock = command('storeBlock', BLOCK, async ({ role, Payload, Reference }, model, world) => {
	const response = await world.callers[role].inject('POST', BLOCKS, json({ Payload, Reference }));
	checkStatus(response, 201);
	const { Token: token } = response.json();
	const kept = model.add({ token, kind: 'data-block', creator: role, payload: Payload, isFindable: false });
	model.attach(kept, { reference: Reference });
	deepStrictEqual(response.json(), blockItem(world, kept));
	return [token];
});

/** Returns why a role may not use a data block, which does not exist to anybody but its owner (spec §5.4.5). */
function refusesBlock(model: VaultModel, role: Role, token: string) {
	return model.isOwn(role, token) ? model.refusesUse(role, token, ['data-block']) : NO_TOKEN;
}

const useBlock = command(
	'useBlock',
	fc.record({ role, nth, deletes: fc.boolean() }),
	async ({ role, nth, deletes }, model, world) => {
		const token = pick(model, nth, role, isBlock);
		const response = await world.callers[role].inject(deletes ? 'DELETE' : 'GET', `${BLOCKS}/${token}`, asJson);
		const refusal = refusesBlock(model, role, token);
		const kept = model.find(token);
		if (refusal) checkRefusal(response, refusal);
		else if (deletes) {
			deepStrictEqual([response.statusCode, response.body], [200, '']);
			model.remove(kept!);
		} else deepStrictEqual(response.json(), { ...blockItem(world, kept!), Payload: kept!.payload });
		return [token];
	},
);

const SEARCH = fc.record({
	role,
	ref: fc.constantFrom('r1', undefined),
	maxItems: fc.constantFrom(1, 2, undefined),
	offset: fc.constantFrom(1, undefined),
});
const searchBlocks = command('searchBlocks', SEARCH, async ({ role, ...asked }, model, world) => {
	const response = await world.callers[role].inject('GET', `${BLOCKS}?${queryOf(world, asked)}`, asJson);
	const { ref, maxItems = Number.POSITIVE_INFINITY, offset = 0 } = asked;
	const found = model
		.listOf(role, (each) => isBlock(each) && (ref === undefined || each.references.has(ref)))
		.slice(offset, offset + maxItems);
	deepStrictEqual(
		response.json(),
		found.map((kept) => blockItem(world, kept)),
	);
	return [];
});

const ROTATION = fc.record({ owner: fc.constantFrom<Owner>('hotel', 'shop', 'agency'), sweeps: fc.boolean() });
const rotate = command('rotate', ROTATION, async ({ owner, sweeps }, _, world) => {
	const { parts, callers } = world;
	const { id } = callers[owner].account;
	await rotateKeys({ ...parts, actor: 'operator test' }, { purposes: ['data', 'cvv'], userId: world.nameOf(owner) });
	if (!sweeps) return [];
	for await (const _ of sweep(parts, [id as AccountId]));
	const { knex } = parts.database;
	const isOld = async (purpose: 'data' | 'cvv') => ['<', (await parts.keyRing.current(purpose, id)).id] as const;
	const pages = await knex('pages')
		.where('account_id', id)
		.andWhere('key_id', ...(await isOld('data')));
	const cvvs = await knex('cvvs')
		.where('account_id', id)
		.andWhere('key_id', ...(await isOld('cvv')))
		.andWhere('uses_left', '>=', 0);
	deepStrictEqual([pages.length, cvvs.length], [0, 0]);
	return [];
});

const HOURS = fc.constantFrom(1, 24, 24 * 8, 24 * 35);
const turnClock = command('turnClock', HOURS, async (hours, _, { parts }) => {
	parts.clock.turn(hours * 3_600_000);
	return [];
});

const retention = command('retention', fc.constant(undefined), async (_, model, { parts }) => {
	await purgeCvvs(parts.vault);
	model.retain();
	return [];
});

export const USE_COMMANDS: VaultCommand[] = [
	...[associate, associate, dissociate, dissociate, listMerchants],
	...[relay, relay, relay],
	...[storeBlock, useBlock, searchBlocks, rotate, turnClock, retention],
];
