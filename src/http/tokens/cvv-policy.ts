// CVV retention policies on the wire (spec §2.4, shapes §3).

import { holdsCardNumber } from '../../card/spelled-number.ts';
import { ServiceError } from '../../errors.ts';
import type { CvvPolicy } from '../../vault/cvv.ts';
import { DEFAULT_CVV_USES, defaultCvvEnd } from '../../vault/cvv-seal.ts';
import { CVV_DESTINATION_TYPES, type CvvDestinationRow, type CvvDestinationType } from '../../vault/cvv-store.ts';
import type { Members } from '../input/members.ts';
import { type DestinationOrder, MAX_DATA_CHARACTERS, MAX_DESTINATIONS, type PolicyOrder } from './cvv-policy-schema.ts';

const MAX_MONTHS = 48;
/** A time without a zone is UTC, whatever the machine thinks. */
const DATE = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?)?(Z|[+-]\d\d:\d\d)?$/;

/** A destination of the policy, or all that match where a path names no more. */
export interface DestinationFilter {
	readonly type?: CvvDestinationType;
	readonly data?: string;
}

/** A policy without what was used of it. @throws ServiceError */
export function readPolicy(body: Members<PolicyOrder>, now: Date): Omit<CvvPolicy, 'usesLeft'> {
	const destinations = body.list('CvvRetentionPolicyList').map(readDestination);
	const named = new Set(destinations.map(nameOf));
	if (named.size < destinations.length) {
		throw body.problem('CvvRetentionPolicyList', 'names a destination more than once');
	}
	return {
		endsAt: readEnd(body, now),
		deletesCard: body.findBoolean('DeleteCardUponCvvCleanup') ?? false,
		destinations,
	};
}

function readEnd(body: Members<PolicyOrder>, now: Date): Date {
	const text = body.findText('CvvEndRetentionDate');
	if (text === undefined) return new Date(defaultCvvEnd(now.getTime()));
	const [, day, time = 'T00:00:00', , , zone = 'Z'] = DATE.exec(text) ?? [];
	const end = new Date(`${day}${time}${zone}`);
	if (Number.isNaN(end.getTime()) || !isDay(day))
		throw body.problem('CvvEndRetentionDate', 'expected an ISO 8601 date');
	if (end <= now) throw body.problem('CvvEndRetentionDate', 'is not in the future');
	const latest = new Date(now);
	latest.setUTCMonth(latest.getUTCMonth() + MAX_MONTHS);
	if (end > latest) throw body.problem('CvvEndRetentionDate', `more than ${MAX_MONTHS} months ahead`);
	return end;
}

/** The engine takes February 31 for a day in March. */
function isDay(text: string): boolean {
	return new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);
}

function readDestination(item: Members<DestinationOrder>): CvvDestinationRow {
	const type = item.getText('DestinationType');
	const target = readDestinationData(item);
	checkDestination(item.nameOf('DestinationData'), { type, data: target });
	return { type, data: target, quota: readQuota(item), used: 0 };
}

/** Whom of its type a destination names; empty for any. @throws ServiceError */
export function readDestinationData(item: {
	findText(name: 'DestinationData'): string | undefined;
	nameOf(name: string): string;
}): string {
	return parseDestinationData(item.nameOf('DestinationData'), item.findText('DestinationData') ?? '');
}

/** How often a CVV may go to a destination; once unless said. @throws ServiceError */
export function readQuota(item: { findInteger(name: 'Quota'): number | undefined }): number {
	return item.findInteger('Quota') ?? DEFAULT_CVV_USES;
}

/** A type in any case. @throws ServiceError */
export function parseDestinationType(name: string, text: string): CvvDestinationType {
	const type = CVV_DESTINATION_TYPES.find((each) => each.toLowerCase() === text.toLowerCase());
	if (type) return type;
	throw new ServiceError('bad-input-data', {
		field: name,
		problem: `expected one of ${CVV_DESTINATION_TYPES.join(', ')}`,
	});
}

/** Stored in clear, so it may not be a card number. @throws ServiceError */
export function parseDestinationData(name: string, text: string): string {
	const problem =
		text.length > MAX_DATA_CHARACTERS
			? `longer than ${MAX_DATA_CHARACTERS} characters`
			: text.includes('\0') || holdsCardNumber(text)
				? 'expected a host name, user ID or gateway'
				: undefined;
	if (problem) throw new ServiceError('bad-input-data', { field: name, problem });
	return text;
}

/** Empty data is whoever is of the type, but not any host at all. @throws ServiceError */
export function checkDestination(name: string, { type, data }: Pick<CvvDestinationRow, 'type' | 'data'>): void {
	if (type !== 'HostName' || data !== '') return;
	throw new ServiceError('bad-input-data', { field: name, problem: 'expected a host name' });
}

/** A new policy over the one that holds: uses that were counted stay counted, whatever a caller writes. */
export function carryUses(wanted: Omit<CvvPolicy, 'usesLeft'>, current: CvvPolicy): CvvPolicy {
	const used = new Map(current.destinations.map((each) => [nameOf(each), each.used]));
	const destinations = wanted.destinations.map((each) => ({ ...each, used: used.get(nameOf(each)) ?? 0 }));
	return { ...wanted, destinations, usesLeft: defaultUsesLeft(current) };
}

/** One destination put beside the others. */
export function withDestination(current: CvvPolicy, { type, data, quota }: CvvDestinationRow): CvvPolicy {
	const name = nameOf({ type, data });
	const others = current.destinations.filter((each) => nameOf(each) !== name);
	const known = current.destinations.find((each) => nameOf(each) === name);
	if (others.length >= MAX_DESTINATIONS) {
		throw new ServiceError('bad-input-data', {
			field: 'destinationType',
			problem: `the policy has ${MAX_DESTINATIONS} already`,
		});
	}
	const usesLeft = defaultUsesLeft(current);
	return { ...current, destinations: [...others, { type, data, quota, used: known?.used ?? 0 }], usesLeft };
}

/**
 * The policy without the destinations a filter names. Nothing left is the default policy (7 days, one use): it never
 * ends later than the one before, and a CVV that was used has had its one use.
 */
export function withoutDestinations(current: CvvPolicy, filter: DestinationFilter, now: Date): CvvPolicy {
	const destinations = current.destinations.filter((each) => !matches(each, filter));
	const usesLeft = defaultUsesLeft(current);
	if (destinations.length > 0) return { ...current, destinations, usesLeft };
	const endsAt = new Date(Math.min(current.endsAt.getTime(), defaultCvvEnd(now.getTime())));
	return { endsAt, deletesCard: false, destinations: [], usesLeft };
}

/** Whether a destination is one of those a filter names; case of its data does not count. */
export function matches(row: CvvDestinationRow, { type, data }: DestinationFilter): boolean {
	return (type === undefined || row.type === type) && (data === undefined || nameOf(row) === nameOf({ ...row, data }));
}

/**
 * In production the long end has to be allowed by name: beyond the default policy a CVV is kept for longer, or for more
 * uses, than most rules of the card networks know. @throws ServiceError
 */
export function checkShort({ endsAt, destinations }: CvvPolicy, now: Date): void {
	const uses = destinations.reduce((sum, { quota }) => sum + quota, 0);
	const field =
		endsAt.getTime() > defaultCvvEnd(now.getTime())
			? 'CvvEndRetentionDate'
			: uses > DEFAULT_CVV_USES
				? 'Quota'
				: undefined;
	if (field === undefined) return;
	const problem = 'more than 7 days or one use, which this installation does not allow (cvv.allowLong)';
	throw new ServiceError('bad-input-data', { field, problem });
}

/** As it is answered: with what was used. */
export function policyDocument(policy: CvvPolicy, filter: DestinationFilter = {}) {
	return {
		CvvEndRetentionDate: policy.endsAt.toISOString(),
		DeleteCardUponCvvCleanup: policy.deletesCard,
		CvvRetentionPolicyList: policy.destinations
			.filter((each) => matches(each, filter))
			.map(({ type, data, quota, used }) => ({
				DestinationType: type,
				DestinationData: data,
				Quota: quota,
				Usage: used,
			})),
	};
}

function nameOf({ type, data }: Pick<CvvDestinationRow, 'type' | 'data'>): string {
	return `${type}/${data.toLowerCase()}`;
}

/** Whatever came between: a CVV that left once does not come to a use by being sent round through other destinations. */
function defaultUsesLeft({ destinations, usesLeft }: CvvPolicy): number {
	return destinations.some(({ used }) => used > 0) ? 0 : usesLeft;
}
