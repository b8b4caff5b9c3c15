// What the pages of events share: where they are, whose events they show, and how states look.

import type { Owner } from '../../../../../people/identity/principal.ts';
import { statesOf } from '../../kinds/columns.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { principalOf } from '../../own.ts';
import type { PortalCall } from '../../portal-page.ts';
import { notThere } from '../../refusals.ts';

export const EVENTS = '/portal/events';
export const NEW_ENDPOINT = '/portal/new-event-endpoint';
export const NEW_MAILBOX = '/portal/new-event-mailbox';
export const ENDPOINTS = '/portal/event-endpoints';
export const pages = pagesOf({ section: 'events', help: '/docs/portal#events' });

/** Events of sub-users and properties are told to their primary account, so that nobody else sees them here. */
export function isOfPrimary(call: PortalCall): boolean {
	const { accountId, ownerId } = principalOf(call);
	return accountId === ownerId;
}

/** @throws ServiceError if the viewer's account is no primary one */
export function ownerOfCall(call: PortalCall): Owner {
	if (!isOfPrimary(call)) throw notThere();
	const { accountId, userId } = principalOf(call);
	return { accountId, userId };
}

export function endpointPath(name: string): string {
	return `${ENDPOINTS}/${encodeURIComponent(name)}`;
}

export const { badge: endpointBadge } = statesOf('events.endpointStates.', {
	...({ active: 'good', failing: 'bad', paused: 'plain', disabled: 'bad' } as const),
});
export const { badge: deliveryBadge } = statesOf('events.deliveryStates.', {
	...({ waiting: 'busy', sent: 'good', failed: 'bad' } as const),
});
