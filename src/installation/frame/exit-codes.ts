/** What the help and the manual page say of the end of a command. */
export const EXIT_CODES = `
Exit codes: 0 done, 1 failed, 64 wrong command line, 70 internal error, 77 not by this operator, 78 wrong settings,
130 interrupted by SIGINT or SIGTERM.
Under --json the result is one JSON document on standard output, and a failure is
{"error":{"reason","message"}} on standard error.`;
