// The key service of a soak: a stand-in for Vault over TLS, to which daemons log in with an AppRole.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Teardown } from '../../test/helpers/daemon.ts';
import { openTransitDouble, type TransitDouble } from '../../test/helpers/key-services/transit-server.ts';
import { makeAuthority } from '../../test/helpers/outbound-servers.ts';

const KEY = 'soak';
const [ROLE, SECRET] = ['soak-role', 'soak-secret'];
/** A login is good for this time, so that daemons have to log in again and again. */
const LOGIN_SECONDS = 120;

/** Starts the service, and returns it with the variables of daemons whose master key is there. */
export async function openKeyService(
	t: Teardown,
	folder: string,
): Promise<{ service: TransitDouble; variables: Record<string, string> }> {
	const authority = await makeAuthority();
	const service = await openTransitDouble(t, { tls: await authority.issue('localhost') });
	service.makeKey(KEY);
	service.roles.set(ROLE, SECRET);
	service.roleSeconds = LOGIN_SECONDS;
	const [caFile, secretFile] = [join(folder, 'key-service.pem'), join(folder, 'key-service-secret')];
	writeFileSync(caFile, authority.certificate);
	writeFileSync(secretFile, SECRET, { mode: 0o600 });
	return {
		service,
		variables: {
			TOKENDROP_KEYS_PROVIDER: 'transit',
			TOKENDROP_KEYS_TRANSIT_URL: service.url,
			TOKENDROP_KEYS_TRANSIT_KEY_NAME: KEY,
			TOKENDROP_KEYS_TRANSIT_CA_FILE: caFile,
			TOKENDROP_KEYS_TRANSIT_ROLE_ID: ROLE,
			TOKENDROP_KEYS_TRANSIT_SECRET_ID_FILE: secretFile,
		},
	};
}
