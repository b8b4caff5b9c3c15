import type { buildOpsApp } from '../doors/http/server/ops-app.ts';

/**
 * If one of these system calls fails when a listener is opened, the reason is its host or port. Other failures, such as
 * that of an unreadable certificate, have nothing to do with the address.
 */
const CALLS = new Set(['listen', 'bind', 'getaddrinfo']);

/** Opens a listener. If it cannot use its address, the error names the settings that contain the address. */
export async function listening<Door>(section: 'http' | 'sftp' | 'ops', opening: Promise<Door>): Promise<Door> {
	try {
		return await opening;
	} catch (error) {
		if (!(error instanceof Error) || !CALLS.has((error as NodeJS.ErrnoException).syscall ?? '')) throw error;
		throw new Error(`${section}.host, ${section}.port: ${error.message}`, { cause: error });
	}
}

export async function listenForOperations(ops: Ops, { host, port }: { host: string; port: number }): Promise<number> {
	await listening('ops', ops.listen({ host, port }));
	return (ops.server.address() as { port: number }).port;
}

type Ops = ReturnType<typeof buildOpsApp>;
