// The form fields for the permissions of an API key, its expiry, and the addresses from which it can be used.

import { badInput } from '../../../../../base/errors.ts';
import { told } from '../../../../../base/failures.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import type { KeyLimits } from '../../../../../people/identity/credentials/api-keys.ts';
import { NUMBERS_OUT, type Permission, permissions } from '../../../../../people/identity/permissions.ts';
import { grantableBy } from '../../../../../people/portal-users/grants.ts';
import type { Field } from '../../kinds/form-part.ts';
import { tickField } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';

const MS_A_DAY = 24 * 3_600_000;
const MAX_DAYS = 3_650;

/**
 * Returns the checkboxes for permissions. One that the user may not grant can be taken from a key that has it, but not given
 * to a key.
 */
export function permissionFields(
	{ say, viewer }: Pick<PortalCall, 'say' | 'viewer'>,
	ticked: ReadonlySet<Permission>,
	held: ReadonlySet<Permission> = new Set(),
): Html {
	const grantable = grantableBy(viewer);
	const shown = permissions.filter((name) => grantable.has(name) || held.has(name));
	const labelOf = (name: Permission) => `${name}: ${say(`access.permissions.${name}`)}`;
	const ticks = shown.map((name) => tickField({ name: `may-${name}`, label: labelOf(name) }, ticked.has(name)));
	const others = permissions.filter((name) => !shown.includes(name));
	const whyNot = (name: Permission) => say(NUMBERS_OUT.has(name) ? 'access.keys.numbers' : 'access.keys.needsFactor');
	return html`<fieldset><legend>${say('access.keys.permissions')}</legend>
${ticks}${others.map((name) => html`<p class="hint">${labelOf(name)}. ${whyNot(name)}</p>`)}</fieldset>
`;
}

/** Returns the permissions that were ticked, some of which may not be granted. */
export function tickedIn({ form }: Pick<PortalCall, 'form'>): Permission[] {
	return permissions.filter((name) => form[`may-${name}`] !== undefined);
}

/**
 * Returns the permissions that were ticked.
 * @throws ServiceError if none was ticked, or one that the user may not grant
 */
export function readPermissionFields(
	call: Pick<PortalCall, 'form' | 'viewer'>,
	held: ReadonlySet<Permission> = new Set(),
): ReadonlySet<Permission> {
	const ticked = tickedIn(call);
	if (ticked.length === 0) throw badInput('permissions', 'at least one is needed', told('none-chosen'));
	const grantable = grantableBy(call.viewer);
	const tooMany = ticked.filter((name) => !grantable.has(name) && !held.has(name));
	const ofOperators = tooMany.filter((name) => NUMBERS_OUT.has(name));
	if (ofOperators.length > 0) {
		const exceeded = told('grant-needs-operators', { permissions: ofOperators.join(', ') });
		throw badInput('permissions', `only two operators can grant ${ofOperators.join(' and ')}`, exceeded);
	}
	if (tooMany.length > 0) {
		const exceeded = told('grant-needs-factor', { permissions: tooMany.join(', ') });
		throw badInput('permissions', `granting ${tooMany.join(' and ')} needs a second factor`, exceeded);
	}
	return new Set(ticked);
}

export const FROM_FIELD: Field<unknown> = {
	name: 'from',
	label: 'access.keys.fromField',
	hint: 'access.keys.fromHint',
	maxLength: 1000,
};

export const LIMIT_FIELDS: readonly Field<unknown>[] = [
	{ name: 'days', label: 'access.keys.days', hint: 'access.keys.daysHint', type: 'number' },
	FROM_FIELD,
];

/**
 * Reads the limits of an API key from a form.
 * @throws ServiceError if the number of days is not a whole number within the limits
 */
export function readLimitFields({ form }: Pick<PortalCall, 'form'>, now: Date): KeyLimits {
	const { days = '', from = '' } = form;
	return {
		...(from.trim() !== '' && { from: from.trim() }),
		...(days.trim() !== '' && { expiresAt: new Date(now.getTime() + readCount('days', days, MAX_DAYS) * MS_A_DAY) }),
	};
}

/**
 * Reads a whole number.
 * @throws ServiceError if the text is not a whole number from `smallest` to `largest`
 */
export function readCount(field: string, text: string, largest: number, smallest = 1): number {
	const value = /^\d{1,6}$/.test(text.trim()) ? Number(text) : Number.NaN;
	if (value >= smallest && value <= largest) return value;
	const range = told('not-in-range', { from: smallest, to: largest });
	throw badInput(field, `expected a whole number from ${smallest} to ${largest}`, range);
}
