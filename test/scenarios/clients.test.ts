// Sends files there and back through the real daemon with the clients that people use.

import { clients } from '../helpers/daemon-clients.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { roundTrip } from './clients.setup.ts';

testNeeding(...clients.openssh.needs).serial(roundTrip, clients.openssh, 'TADC', '01-pretty-utf8-crlf');
