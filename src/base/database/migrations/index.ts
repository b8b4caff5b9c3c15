import { keys } from './0001-keys.ts';
import { identity } from './0002-identity.ts';
import { vault } from './0003-vault.ts';
import { drops } from './0004-drops.ts';
import { jobs } from './0005-jobs.ts';
import { audit } from './0006-audit.ts';
import { calls } from './0007-calls.ts';
import { relay } from './0008-relay.ts';
import { payments } from './0009-payments.ts';
import { defender } from './0010-defender.ts';
import { cardholders } from './0011-cardholders.ts';
import { people } from './0012-people.ts';
import { mails } from './0013-mails.ts';
import { daemons } from './0014-daemons.ts';
import { moved } from './0015-moved.ts';
import { upkeep } from './0016-upkeep.ts';
import { routes } from './0017-routes.ts';
import { trailQuestions } from './0018-trail-questions.ts';
import { failureCodes } from './0019-failure-codes.ts';
import { search } from './0020-search.ts';
import { pgpKeys } from './0021-pgp-keys.ts';
import { unfinished } from './0022-unfinished.ts';
import { events } from './0023-events.ts';
import { singleSignOn } from './0024-single-sign-on.ts';
import { directory } from './0025-directory.ts';
import { trailPages, trailPagesOnly } from './0026-trail-pages.ts';
import { foreignTokens } from './0028-foreign-tokens.ts';
import { formatPlugins } from './0029-format-plugins.ts';
import { directoryGroups } from './0030-directory-groups.ts';
import { listIndexes } from './0031-list-indexes.ts';
import { auditLanes, auditLanesOnly } from './0032-audit-lanes.ts';
import { trailDetails, trailDetailsOnly } from './0034-trail-details.ts';
import { whyTold } from './0036-why-told.ts';
import { children, childrenOnly } from './0037-children.ts';
import { disabledTold } from './0038-disabled-told.ts';
import type { Migration } from './migration.ts';

/** Lists every migration in the order in which they are applied. */
export const migrations: Migration[] = [
	...[keys, identity, vault, drops, jobs, audit, calls],
	...[relay, payments, defender, cardholders, people, mails, daemons],
	...[moved, upkeep, routes, trailQuestions, failureCodes, search, pgpKeys, unfinished],
	...[events, singleSignOn, directory, trailPages, trailPagesOnly, foreignTokens, formatPlugins],
	...[directoryGroups, listIndexes, auditLanes, auditLanesOnly, trailDetails, trailDetailsOnly],
	...[whyTold, children, disabledTold, childrenOnly],
];
