// Reads CVV retention policies from requests, changes them and writes them into answers (spec §2.4, shapes §3).

import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import { badInput } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import type { CvvPolicy } from '../../../vault/cvvs/cvv.ts';
import { DEFAULT_CVV_USES, defaultCvvEnd } from '../../../vault/cvvs/cvv-seal.ts';
import type { CvvDestinationRow } from '../../../vault/cvvs/cvv-store.ts';
import { CVV_DESTINATION_TYPES, type CvvDestinationType } from '../../../vault/cvvs/destination-types.ts';
import type { Members } from '../input/members.ts';
import { type DestinationOrder, MAX_DATA_CHARACTERS, MAX_DESTINATIONS, type PolicyOrder } from './cvv-policy-schema.ts';

const MAX_MONTHS = 48;
/** Matches a date, with or without a time. A time without a zone is UTC, whatever the machine's own zone is. */
const DATE = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?)?(Z|[+-]\d\d:\d\d)?$/;

/** Selects destinations of a CVV policy by type and name. A type or name that is absent matches every destination. */
export interface DestinationFilter {
	readonly type?: CvvDestinationType;
	readonly data?: string;
}

/**
 * Reads a CVV policy from the body of a request. The body does not say how often the CVV was already used.
 * @throws ServiceError if the policy is invalid
 */
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
		throw body.problem('CvvEndRetentionDate', 'expected an ISO 8601 date', told('day-malformed'));
	if (end <= now) throw body.problem('CvvEndRetentionDate', 'is not in the future', told('time-not-in-future'));
	const latest = new Date(now);
	latest.setUTCMonth(latest.getUTCMonth() + MAX_MONTHS);
	if (end > latest) throw body.problem('CvvEndRetentionDate', `more than ${MAX_MONTHS} months ahead`);
	return end;
}

/** Returns whether a date exists. JavaScript's own parser takes February 31 for a day in March. */
function isDay(text: string): boolean {
	return new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);
}

function readDestination(item: Members<DestinationOrder>): CvvDestinationRow {
	const type = item.getText('DestinationType');
	const target = readDestinationData(item);
	checkDestination(item.nameOf('DestinationData'), { type, data: target });
	return { type, data: target, quota: readQuota(item), used: 0 };
}

/**
 * Reads the name of a destination in a CVV policy, for example a host name. An empty name stands for every destination
 * of its type.
 * @throws ServiceError if the name is invalid
 */
export function readDestinationData(item: {
	findText(name: 'DestinationData'): string | undefined;
	nameOf(name: string): string;
}): string {
	return parseDestinationData(item.nameOf('DestinationData'), item.findText('DestinationData') ?? '');
}

/**
 * Reads how often a CVV may be sent to a destination of its policy; the default is once.
 * @throws ServiceError if the text is not a number in the allowed range
 */
export function readQuota(item: { findInteger(name: 'Quota'): number | undefined }): number {
	return item.findInteger('Quota') ?? DEFAULT_CVV_USES;
}

/**
 * Reads the type of a destination in a CVV policy; upper and lower case do not matter.
 * @throws ServiceError if there is no such type
 */
export function parseDestinationType(text: string): CvvDestinationType {
	const type = CVV_DESTINATION_TYPES.find((each) => each.toLowerCase() === text.toLowerCase());
	if (type) return type;
	const choices = CVV_DESTINATION_TYPES.join(', ');
	throw badInput('destinationType', `expected one of ${choices}`, told('not-one-of', { choices }));
}

/**
 * Checks the name of a destination in a CVV policy and returns it. Names are stored in clear, so a text that may be a
 * card number is refused.
 * @throws ServiceError if the name is too long or refused
 */
export function parseDestinationData(name: string, text: string): string {
	const problem =
		text.length > MAX_DATA_CHARACTERS
			? `longer than ${MAX_DATA_CHARACTERS} characters`
			: text.includes('\0') || holdsCardNumber(text)
				? 'expected a host name, user ID or gateway'
				: undefined;
	if (problem) throw badInput(name, problem, told('value-malformed'));
	return text;
}

/**
 * Checks a destination of a CVV policy. An empty name stands for every destination of a type. It is refused for host
 * names, because a policy may not allow every host.
 * @throws ServiceError if the name of a host is empty
 */
export function checkDestination(name: string, { type, data }: Pick<CvvDestinationRow, 'type' | 'data'>): void {
	if (type !== 'HostName' || data !== '') return;
	throw badInput(name, 'expected a host name', told('host-malformed'));
}

/**
 * Returns the wanted CVV policy with the uses that were counted under the current policy, so that a caller cannot reset
 * the counts by replacing the policy.
 */
export function carryUses(wanted: Omit<CvvPolicy, 'usesLeft'>, current: CvvPolicy): CvvPolicy {
	const used = new Map(current.destinations.map((each) => [nameOf(each), each.used]));
	const destinations = wanted.destinations.map((each) => ({ ...each, used: used.get(nameOf(each)) ?? 0 }));
	return { ...wanted, destinations, usesLeft: defaultUsesLeft(current) };
}

/** Returns the CVV policy with one more destination or, if it has that already, with the new number of uses. */
export function withDestination(current: CvvPolicy, { type, data, quota }: CvvDestinationRow): CvvPolicy {
	const name = nameOf({ type, data });
	const others = current.destinations.filter((each) => nameOf(each) !== name);
	const known = current.destinations.find((each) => nameOf(each) === name);
	if (others.length >= MAX_DESTINATIONS) {
		throw badInput('destinationType', `the policy has ${MAX_DESTINATIONS} already`);
	}
	const usesLeft = defaultUsesLeft(current);
	return { ...current, destinations: [...others, { type, data, quota, used: known?.used ?? 0 }], usesLeft };
}

/**
 * Returns the CVV policy without the destinations that a filter selects. If no destination is left, the default policy
 * applies (7 days, one use), with two exceptions. The new policy never ends later than the current one, and it allows
 * no use if the CVV was already sent to a destination.
 */
export function withoutDestinations(current: CvvPolicy, filter: DestinationFilter, now: Date): CvvPolicy {
	const destinations = current.destinations.filter((each) => !matches(each, filter));
	const usesLeft = defaultUsesLeft(current);
	if (destinations.length > 0) return { ...current, destinations, usesLeft };
	const endsAt = new Date(Math.min(current.endsAt.getTime(), defaultCvvEnd(now.getTime())));
	return { endsAt, deletesCard: false, destinations: [], usesLeft };
}

export function matches(row: CvvDestinationRow, { type, data }: DestinationFilter): boolean {
	return (type === undefined || row.type === type) && (data === undefined || nameOf(row) === nameOf({ ...row, data }));
}

/**
 * Refuses a policy that keeps a CVV longer, or for more uses, than the default policy. In production such policies must
 * be allowed by a setting, because most card networks forbid them.
 * @throws ServiceError
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
	throw badInput(field, 'more than 7 days or one use, which this installation does not allow (cvv.allowLong)');
}

/** Returns a policy in the form of an answer, with the number of uses of each destination. */
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

/**
 * Returns how often the CVV may still be used if the default policy applies. If the CVV was already sent to a
 * destination, that is 0, so that a caller cannot gain a use by adding and removing destinations.
 */
function defaultUsesLeft({ destinations, usesLeft }: CvvPolicy): number {
	return destinations.some(({ used }) => used > 0) ? 0 : usesLeft;
}
