// These commands of the vault's model test set, read and delete the policies of CVVs, and delete CVVs.

import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { asJson, json } from './card-calls.ts';
import { command, nth, pick, role, type VaultCommand } from './vault-command.ts';
import {
	type Destination,
	KEEPS_NO_CVV,
	type Kept,
	type KeptCvv,
	keepsCvv,
	NOT_THERE,
	type Role,
} from './vault-model.ts';
import { checkRefusal, checkStatus, PAYCARD, type VaultWorld } from './vault-model-world.ts';

const hasCvv = ({ cvv }: Kept) => cvv !== undefined;
const DAY_MS = 86_400_000;

const PLACES = fc.constantFrom<readonly [string, Role | 'localhost' | '127.0.0.1' | '']>(
	...([
		['HostName', 'localhost'],
		['HostName', '127.0.0.1'],
		['Owner', ''],
		['Owner', 'hotel'],
	] as const),
	...([
		['OtherMerchant', ''],
		['OtherMerchant', 'shop'],
		['OtherUser', 'clerk'],
		['Gateway', ''],
	] as const),
);
const DESTINATION = fc.record({ place: PLACES, quota: fc.integer({ min: 1, max: 2 }) });

function destinationOf(
	world: VaultWorld,
	{ place: [type, who], quota }: typeof DESTINATION extends fc.Arbitrary<infer D> ? D : never,
): Destination {
	const data = who === '' || who.includes('local') || who.includes('127') ? who : world.nameOf(who as Role);
	return { type, data, quota, used: 0 };
}

const isSame = (one: Destination) => (other: Destination) => one.type === other.type && one.data === other.data;

function documentOf(
	{ endsAt, deletesCard, destinations }: KeptCvv,
	isWanted: (each: Destination) => boolean = () => true,
) {
	return {
		CvvEndRetentionDate: new Date(endsAt).toISOString(),
		DeleteCardUponCvvCleanup: deletesCard,
		CvvRetentionPolicyList: destinations
			.filter(isWanted)
			.sort((a, b) => (`${a.type} ${a.data}` < `${b.type} ${b.data}` ? -1 : 1))
			.map(({ type, data, quota, used }) => ({
				DestinationType: type,
				DestinationData: data,
				Quota: quota,
				Usage: used,
			})),
	};
}

const POLICY = fc.record({
	role,
	nth,
	days: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
	deletesCard: fc.boolean(),
	wanted: fc.uniqueArray(DESTINATION, { maxLength: 3, selector: ({ place }) => place.join() }),
	/** Whether the call adds the first destination to those there are, instead of replacing all of them. */
	isOne: fc.boolean(),
});
const setPolicy = command('setPolicy', POLICY, async ({ role, nth, days, deletesCard, ...asked }, model, world) => {
	const token = pick(model, nth, role, hasCvv);
	const wanted = asked.wanted.map((each) => destinationOf(world, each));
	const isOne = asked.isOne && wanted.length > 0 && wanted[0].data !== '';
	const endsAt = model.now() + (days ?? 7) * DAY_MS;
	const CvvRetentionPolicyList = wanted.map(({ type, data, quota }) => ({
		DestinationType: type,
		DestinationData: data,
		Quota: quota,
	}));
	const CvvEndRetentionDate = days && new Date(endsAt).toISOString();
	const policy = `${PAYCARD}/${token}/cvvRetentionPolicy`;
	const response = isOne
		? await world.callers[role].inject(
				'PUT',
				`${policy}/${wanted[0].type}/${wanted[0].data}`,
				json({ Quota: wanted[0].quota }),
			)
		: await world.callers[role].inject(
				'PUT',
				policy,
				json({ CvvEndRetentionDate, DeleteCardUponCvvCleanup: deletesCard, CvvRetentionPolicyList }),
			);
	const kept = model.find(token);
	const cvv = model.cvvOf(kept);
	const refusal =
		model.refusesRule(role, token) ?? (keepsCvv(role) ? undefined : KEEPS_NO_CVV) ?? (cvv ? undefined : NOT_THERE);
	if (refusal) {
		checkRefusal(response, refusal);
		return [token];
	}
	const counted = (each: Destination) => ({ ...each, used: cvv!.destinations.find(isSame(each))?.used ?? 0 });
	if (isOne) {
		const others = cvv!.destinations.filter((each) => !isSame(each)(wanted[0]));
		cvv!.destinations = [...others, counted(wanted[0])];
	} else Object.assign(cvv!, { endsAt, deletesCard, destinations: wanted.map(counted) });
	model.settleUses(kept!);
	checkStatus(response, 200);
	const left = model.cvvOf(kept);
	if (left) deepStrictEqual(response.json(), documentOf(left));
	else strictEqual(response.body, '');
	return [token];
});

const NAMED = fc.record({ role, nth, place: fc.option(PLACES, { nil: undefined }), isOne: fc.boolean() });

/** Returns the part of a path that names destinations, and a function that tells which ones it names. */
function filterOf(
	world: VaultWorld,
	{ place, isOne }: { place?: Parameters<typeof destinationOf>[1]['place']; isOne: boolean },
) {
	if (!place) return { path: '', isNamed: () => true, isAny: true };
	const wanted = destinationOf(world, { place, quota: 1 });
	const isExact = isOne && wanted.data !== '';
	const isNamed = isExact ? isSame(wanted) : ({ type }: Destination) => type === wanted.type;
	return { path: `/${wanted.type}${isExact ? `/${wanted.data}` : ''}`, isNamed, isAny: false };
}

const readPolicy = command('readPolicy', NAMED, async ({ role, nth, ...asked }, model, world) => {
	const token = pick(model, nth, role, hasCvv);
	const { path, isNamed, isAny } = filterOf(world, asked);
	const url = `${PAYCARD}/${token}/cvvRetentionPolicy${path}`;
	const response = await world.callers[role].inject('GET', url, asJson);
	const cvv = model.cvvOf(model.find(token));
	const refusal =
		model.refusesUse(role, token) ?? (cvv && (isAny || cvv.destinations.some(isNamed)) ? undefined : NOT_THERE);
	if (refusal) checkRefusal(response, refusal);
	else deepStrictEqual(response.json(), documentOf(cvv!, isNamed));
	return [];
});

const removePolicy = command('removePolicy', NAMED, async ({ role, nth, ...asked }, model, world) => {
	const token = pick(model, nth, role, hasCvv);
	const { path, isNamed, isAny } = filterOf(world, asked);
	const url = `${PAYCARD}/${token}/cvvRetentionPolicy${path}`;
	const response = await world.callers[role].inject('DELETE', url, asJson);
	const kept = model.find(token);
	const cvv = model.cvvOf(kept);
	const refusal =
		model.refusesRule(role, token) ?? (cvv && (isAny || cvv.destinations.some(isNamed)) ? undefined : NOT_THERE);
	if (refusal) {
		checkRefusal(response, refusal);
		return [token];
	}
	cvv!.destinations = cvv!.destinations.filter((each) => !isNamed(each));
	if (cvv!.destinations.length === 0) model.resetPolicy(cvv!);
	model.settleUses(kept!);
	deepStrictEqual([response.statusCode, response.body], [200, '']);
	return [token];
});

const clearCvv = command('clearCvv', fc.record({ role, nth }), async ({ role, nth }, model, world) => {
	const token = pick(model, nth, role, hasCvv);
	const response = await world.callers[role].inject('DELETE', `${PAYCARD}/${token}/cvv`, asJson);
	const takesCard = model.cvvOf(model.find(token))?.deletesCard === true;
	const refusal = takesCard ? model.refusesRule(role, token) : model.refusesUse(role, token);
	if (refusal) checkRefusal(response, refusal);
	else {
		deepStrictEqual([response.statusCode, response.body], [200, '']);
		const kept = model.find(token)!;
		if (kept.cvv?.deletesCard) model.remove(kept);
		kept.cvv = undefined;
	}
	return [token];
});

export const CVV_COMMANDS: VaultCommand[] = [setPolicy, setPolicy, setPolicy, readPolicy, removePolicy, clearCvv];
