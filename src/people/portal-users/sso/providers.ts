// Opens the providers at which people may sign in.

import { openOutboundClient } from '../../../base/outbound/http-client.ts';
import { type DeclaredProvider, readProviders } from './declared-provider.ts';
import { openProvider, type Provider } from './provider.ts';

/** The page to which a provider sends people back is this one followed by the name of the provider. */
export const PROVIDER_PATH = '/portal/sso/';

export interface OpenedProvider extends Provider {
	readonly declared: Omit<DeclaredProvider, 'clientSecret'>;
}

const MOST_CALLS = 50;

export type Providers = ReturnType<typeof openProviders>;

/**
 * Opens the providers of a folder. `baseUrl` returns our public address, which is known once the service listens.
 * @throws DeclarationError with every problem of every file
 */
export function openProviders(folder: string | null, environment: 'sandbox' | 'production', baseUrl: () => string) {
	const declared = folder === null ? [] : readProviders(folder, environment);
	// Whether a provider may have a private address is its own matter, so calls of accounts do not share the client.
	const opened = declared.map((provider) => {
		const outbound = openOutboundClient({ allowPrivate: provider.allowPrivate, maxInFlight: MOST_CALLS });
		return { outbound, provider: providerOf(provider, outbound, baseUrl) };
	});
	return {
		list: () => opened.map(({ provider }) => provider),
		find: (name: string) => opened.find(({ provider }) => provider.declared.name === name)?.provider,
		async close(): Promise<void> {
			await Promise.all(opened.map(({ outbound }) => outbound.close()));
		},
	};
}

function providerOf(
	{ clientSecret, ...declared }: DeclaredProvider,
	outbound: Parameters<typeof openProvider>[0]['outbound'],
	baseUrl: () => string,
): OpenedProvider {
	const settings = {
		...declared,
		directoryClaim: declared.directory?.claim,
		clientSecret: clientSecret.reveal(),
		allowHttp: declared.issuer.startsWith('http:'),
		get redirectUri() {
			return `${baseUrl()}${PROVIDER_PATH}${declared.name}`;
		},
	};
	return { declared, ...openProvider({ outbound, settings }) };
}
