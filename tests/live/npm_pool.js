// The pool of the npm package stratum-pool-sha256, started from JSON in the environment: POOL = {port, address, daemon,
// difficulty}. Its share checking is its own and untouched. Its path for blocks never worked as published, and is
// repaired here: it uses a variable that does not exist, rebuilds the coinbase with another text and time after the
// miner has hashed it, and puts the merkle root into that header in the wrong byte order.
'use strict';

global.extraNoncePlaceholder = Buffer.from('f000000ff111111f', 'hex');
console.log = () => {};  // it prints each header that it hashes

const transactions = require('stratum-pool-sha256/lib/transactions.js');
const create = transactions.CreateGeneration;
const made = new WeakMap();
transactions.CreateGeneration = (template, ...rest) => {
    if (!made.has(template)) made.set(template, create(template, ...rest));
    return made.get(template);
};

const settings = JSON.parse(process.env.POOL);
const stratum = require('stratum-pool-sha256');
const pool = stratum.createPool({
    coin: {name: 'Bitcoin', symbol: 'BTC', algorithm: 'sha256', hasGetInfo: false, reward: 'POW'},
    address: settings.address,
    rewardRecipients: {},
    blockRefreshInterval: 200,  // ms
    jobRebroadcastTimeout: 10,  // s
    connectionTimeout: 600,
    banning: {enabled: false},
    ports: {[settings.port]: {diff: settings.difficulty}},
    daemons: [settings.daemon],
    p2p: {enabled: false},
}, (ip, port, user, password, callback) => callback({error: null, authorized: user !== 'stranger', disconnect: false}));

function keepHeaders(job) {
    const serialize = job.serializeHeader;
    let last = null;
    job.serializeHeader = (root, time, nonce, version) => {
        if (!last || last.time !== time || last.nonce !== nonce) {
            last = {time, nonce, header: serialize(root, time, nonce, version)};
        }
        return last.header;
    };
}

pool.on('log', (severity, text) => process.stderr.write(`${severity}: ${text}\n`));
pool.on('share', (valid, solved, share) => {
    process.stdout.write(JSON.stringify({valid, solved, worker: share.worker, error: share.error, hash: share.blockHash}) + '\n');
});
const start = setInterval(() => {  // the manager of jobs exists once the daemon has answered
    if (!pool.jobManager) return;
    clearInterval(start);
    for (const event of ['newBlock', 'updatedBlock']) pool.jobManager.prependListener(event, keepHeaders);
    if (pool.jobManager.currentJob) keepHeaders(pool.jobManager.currentJob);
}, 1);
pool.on('started', () => process.stdout.write('{"started": true}\n'));
pool.start();
