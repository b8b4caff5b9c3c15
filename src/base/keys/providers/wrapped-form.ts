// Says in front of a wrapped key which kind of service wrapped it. With that, a start with the wrong provider can name the right
// one, and no service is asked about what it cannot know. What a file or a variable wrapped has no such mark.

import { RootKeyError } from '../root-key.ts';

/** The key services, as `keys.provider` names them. */
export const SERVICES = ['pkcs11', 'aws-kms', 'transit'] as const;
export type Service = (typeof SERVICES)[number];

export function isService(provider: string): provider is Service {
	return (SERVICES as readonly string[]).includes(provider);
}

const MARK = 'tokendrop root key by ';
const END = '\n';

/** Returns what a service wrapped, with the mark of the service. */
export function markedAs(service: Service, wrapped: Buffer): Buffer {
	return Buffer.concat([Buffer.from(MARK + service + END), wrapped]);
}

/** Returns what is behind the mark of `service`. @throws RootKeyError if another provider wrapped it */
export function unmarked(service: Service, wrapped: Buffer, description: string): Buffer {
	const found = findService(wrapped);
	if (found !== service) throw notWrappedBy(description, found);
	return wrapped.subarray(MARK.length + service.length + END.length);
}

/** Returns the service that wrapped a key; undefined if a file or a variable did. */
export function findService(wrapped: Buffer): Service | undefined {
	return SERVICES.find((service) => {
		const mark = MARK + service + END;
		return wrapped.subarray(0, mark.length).equals(Buffer.from(mark));
	});
}

/** Returns the error for a key that another provider wrapped; `found` is that provider, undefined for a file or a variable. */
export function notWrappedBy(description: string, found: Service | undefined): RootKeyError {
	const where = found === undefined ? 'a master key of a file or a variable' : `a key service: keys.provider ${found}`;
	return new RootKeyError(`${description}: the keys of this database are under ${where}, and not under this one`);
}
