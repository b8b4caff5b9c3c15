// A connection to one host of PostgreSQL. It begins transactions with their limits, and notes which failures leave open
// whether something was stored.

import type { Socket } from 'node:net';
import pg from 'pg';
import type { PostgresHost } from '../../settings/postgres-url.ts';
import { isUnavailable, noteMayHaveCommitted } from '../dialect.ts';

const IDLE_TRANSACTION_MS = 10_000;

/**
 * How each transaction begins. The setting limits how long an idle connection keeps its transaction. Without it, a daemon
 * that hangs or whose machine is lost would keep its locks much longer, including the lock on the head of the audit
 * trail, for which all other daemons wait. It belongs to the transaction and not to the session, because PgBouncer lends
 * a connection to the server for the time of a transaction: what is set for a session reaches other clients, and is
 * missing on the next connection.
 */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_MS};`;

/** After this time without an answer, the host is asked on another connection whether it is still there. */
const SILENCE_MS = 2_000;

/** PostgreSQL's code for a write where only reading is allowed, as on a standby. */
const READ_ONLY = '25006';
/** PostgreSQL's code for a transaction that it has ended because nothing came for too long. */
const IDLE_TRANSACTION = '25P03';

type Callback = (error: Error | null | undefined, answer: unknown) => void;
type Statement = string | { readonly text: string; readonly name?: string; readonly values?: readonly unknown[] };
type Ask = (statement: Statement, ...rest: unknown[]) => unknown;

export class HostConnection extends pg.Client {
	readonly server: PostgresHost;
	/** True if nothing may be asked on this connection any more. */
	isSpent = false;
	#unanswered = 0;

	constructor(host: PostgresHost, options: pg.ClientConfig) {
		super({ ...options, connectionString: host.url, application_name: 'tokendrop' });
		this.server = host;
		this.on('error', () => this.#spend());
		this.on('end', () => this.#spend());
		const ask = super.query.bind(this) as Ask;
		this.query = ((statement: Statement, ...rest: unknown[]) => this.#ask(ask, statement, rest)) as typeof this.query;
	}

	/**
	 * Ends the connection when a statement stays without an answer and `isGone` says that its host is gone. A machine that
	 * has lost its power or its network does not close connections, and the system would wait for it for minutes.
	 */
	endWhenGone(isGone: () => Promise<boolean>): void {
		const { stream } = (this as unknown as { connection: { stream: Socket } }).connection;
		const look = async () => {
			if (this.#unanswered > 0 && (await isGone())) {
				stream.destroy(Object.assign(new Error(`${this.server.name} does not answer`), { code: 'ETIMEDOUT' }));
			} else {
				stream.setTimeout(SILENCE_MS);
			}
		};
		stream.setTimeout(SILENCE_MS);
		stream.on('timeout', () => void look());
	}

	#spend(): void {
		this.isSpent = true;
	}

	#ask(ask: Ask, statement: Statement, rest: unknown[]): unknown {
		const text = typeof statement === 'string' ? statement : statement.text;
		if (typeof statement === 'object' && statement.name) {
			// PgBouncer may send the next statement to another connection, which has no statement of that name.
			throw new Error(`internal error: a statement for PostgreSQL has a name: ${text}`);
		}
		const begun = text.replace(/^begin\b;?/i, BEGIN);
		const given = typeof statement === 'string' ? begun : { ...statement, text: begun };
		const isWithin = this.getTransactionStatus() === 'T';
		this.#unanswered++;
		const callback = rest.at(-1);
		if (typeof callback === 'function') {
			const answered: Callback = (error, answer) => {
				this.#note(error, text, isWithin);
				(callback as Callback)(error, answer);
			};
			return ask(given, ...rest.slice(0, -1), answered);
		}
		return (ask(given, ...rest) as Promise<unknown>).then(
			(answer) => {
				this.#note(undefined, text, isWithin);
				return answer;
			},
			(error: Error) => {
				this.#note(error, text, isWithin);
				throw error;
			},
		);
	}

	#note(error: Error | null | undefined, text: string, isWithin: boolean): void {
		this.#unanswered--;
		if (!error) return;
		// The server has become a standby, or a pooler now leads to one. Another connection may lead elsewhere.
		if ((error as { code?: unknown }).code === READ_ONLY) this.#spend();
		const commits = isWithin ? /^commit\b/i.test(text) : !/^\s*(begin|rollback|select|show|set)\b/i.test(text);
		if (commits && isAnswerLost(error)) noteMayHaveCommitted(error);
	}
}

/** Tells whether the server may have done what it was asked, because the connection ended before it answered. */
function isAnswerLost(error: Error): boolean {
	const { severity, code } = error as { severity?: string; code?: string };
	// A server that refuses a statement has not carried it out. One that was never sent has not been carried out either.
	if (severity === 'ERROR' || code === IDLE_TRANSACTION || /is not queryable$/.test(error.message)) return false;
	return isUnavailable(error);
}
