/**
 * Does work while the lease of a row is renewed, three times before it would end. A renewal that fails is tried again with
 * the next one.
 */
export async function withRenewedLease<Result>(
	leaseMs: number,
	renew: () => Promise<unknown>,
	work: () => Promise<Result>,
): Promise<Result> {
	const timer = setInterval(() => void renew().catch(() => {}), leaseMs / 3);
	try {
		return await work();
	} finally {
		clearInterval(timer);
	}
}
