// What row-seals.test.ts and row-seals.slow.test.ts share.

import type { BrokenRow } from '../../src/base/keys/rows/row-seals.ts';
import type { HttpApp } from '../helpers/http-app.ts';
import type { IdentityParts } from '../helpers/identity-parts.ts';

/** Returns a list to which every row is added that is refused from now on. */
export function listen({ keyRing }: Pick<HttpApp, 'keyRing'>): BrokenRow[] {
	const broken: BrokenRow[] = [];
	keyRing.seals.onBroken((row) => void broken.push(row));
	return broken;
}

export const logIn = ({ identity }: Pick<IdentityParts, 'identity'>, secret: string) =>
	identity.authenticate({ kind: 'api-key', secret });
