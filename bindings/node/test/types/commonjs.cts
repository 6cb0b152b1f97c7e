// The package for `require`; both module systems lead to the same types.
import quorate = require('quorate');
import type { Committee } from 'quorate';
import type * as imported from 'quorate' with { 'resolution-mode': 'import' };

export const committee = (given: Committee): imported.Committee => given;
export const suite: quorate.Suite = quorate.Suite.MinPk;
