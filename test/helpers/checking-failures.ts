// Checks in every test that a call fails only for reasons that its definition lists, so that the document names them
// all.

import type { ExecutionContext } from 'ava';
import { reasonsOf } from '../../src/doors/http/calls/reasons.ts';
import type { OnAnswered } from '../../src/doors/http/server/access-log.ts';

type Seen = Parameters<OnAnswered>[0];

/** Returns a function that examines every answer. When the test ends, it fails if a reason was not declared. */
export function checkingFailures(t: ExecutionContext<unknown>): (seen: Seen) => void {
	const undeclared = new Set<string>();
	t.teardown(() => {
		if (undeclared.size > 0) throw new Error(`reasons that calls do not declare: ${[...undeclared].join(', ')}`);
	});
	return ({ call, method, reason }) => {
		if (!call || reason === undefined) return;
		const isDeclared = reason === 'fields' ? call.bodyErrors === 'listed' : reasonsOf(call).has(reason);
		if (!isDeclared) undeclared.add(`${method} ${call.path}: ${reason}`);
	};
}
