//! A channel, standard or extended, with its jobs and shares: SRI's channels_sv2 on templates that are made up.

use std::time::{SystemTime, UNIX_EPOCH};

use bitcoin::{consensus::serialize, Amount, CompactTarget, ScriptBuf, Target, TxOut};
use channels_sv2::{
    extranonce_manager::ExtranonceAllocator,
    server::{
        extended::ExtendedChannel,
        share_accounting::{ShareValidationError as Flaw, ShareValidationResult as Verdict},
        standard::StandardChannel,
    },
};
use mining_sv2::*;
use parsers_sv2::MiningOwned;
use template_distribution_sv2::{NewTemplateOwned, SetNewPrevHashOwned as TemplateSetNewPrevHash};

use crate::{said, Result};

const CHANNEL: u32 = 7;
const GROUP: u32 = 1;
const TAG: &str = "tests";
const EXTRANONCE: u8 = 16; // bytes, with the pool's
const PREFIX: [u8; 2] = [0xca, 0xfe];
const MOST_CHANNELS: u32 = 1000;
const REWARD: u64 = 5_000_000_000;
const BITS: u32 = 0x1f00_a2c2; // 103,000 hashes a block
const SHARES_A_JOB: u32 = 4;

#[derive(Clone, Copy)]
pub struct Terms {
    pub rolling: bool, // versions may be rolled on extended channels; on standard ones SRI allows it always
    pub batch: usize,
    pub rate: f32,
}

enum Channel {
    Standard(StandardChannel),
    Extended(ExtendedChannel),
}

/// The two kinds of channels have no trait in common.
macro_rules! of_either {
    ($channel:expr, $inner:ident => $result:expr) => {
        match $channel {
            Channel::Standard($inner) => $result,
            Channel::Extended($inner) => $result,
        }
    };
}
/// The message of one of a channel's jobs.
macro_rules! job_message {
    ($channel:expr, $getter:ident($($id:expr)?)) => {
        match $channel {
            Channel::Standard(channel) => channel.$getter($($id)?).map(|job| MiningOwned::NewMiningJob(job.get_job_message().clone())),
            Channel::Extended(channel) => {
                channel.$getter($($id)?).map(|job| MiningOwned::NewExtendedMiningJob(job.get_job_message().clone()))
            }
        }
        .ok_or("no job was made of the template")
    };
}

pub struct Work {
    channel: Channel,
    template: u64, // the last one's number
}

fn extranonces() -> Result<ExtranonceAllocator> {
    ExtranonceAllocator::new(PREFIX.to_vec(), EXTRANONCE, MOST_CHANNELS).map_err(said)
}

impl Work {
    pub fn open_standard(open: OpenStandardMiningChannelOwned, terms: Terms) -> Result<(Self, MiningOwned)> {
        println!("open standard {}", open.user_identity.as_utf8_or_hex());
        let most = Target::from_le_bytes(open.max_target.into_array());
        let channel = StandardChannel::new_for_pool(
            CHANNEL,
            open.user_identity.as_utf8_or_hex(),
            extranonces()?.allocate_standard().map_err(said)?,
            most,
            open.nominal_hash_rate,
            terms.batch,
            terms.rate,
            TAG.to_string(),
            None,
        )
        .map_err(said)?;
        let answer = MiningOwned::OpenStandardMiningChannelSuccess(OpenStandardMiningChannelSuccessOwned {
            request_id: open.request_id,
            channel_id: CHANNEL,
            target: channel.get_target().to_le_bytes().into(),
            extranonce_prefix: channel.get_extranonce_prefix().to_vec().try_into().map_err(said)?,
            group_channel_id: GROUP,
        });
        Ok((Self { channel: Channel::Standard(channel), template: 0 }, answer))
    }

    pub fn open_extended(open: OpenExtendedMiningChannelOwned, terms: Terms) -> Result<(Self, MiningOwned)> {
        println!("open extended {}", open.user_identity.as_utf8_or_hex());
        let mut extranonces = extranonces()?;
        let size = extranonces.rollable_extranonce_size().into();
        let prefix = extranonces.allocate_extended(open.min_extranonce_size.into()).map_err(said)?;
        let most = Target::from_le_bytes(open.max_target.into_array());
        let channel = ExtendedChannel::new_for_pool(
            CHANNEL,
            open.user_identity.as_utf8_or_hex(),
            prefix,
            most,
            open.nominal_hash_rate,
            terms.rolling,
            size,
            terms.batch,
            terms.rate,
            TAG.to_string(),
            None,
        )
        .map_err(said)?;
        let answer = MiningOwned::OpenExtendedMiningChannelSuccess(OpenExtendedMiningChannelSuccessOwned {
            request_id: open.request_id,
            channel_id: CHANNEL,
            target: channel.get_target().to_le_bytes().into(),
            extranonce_size: channel.get_rollable_extranonce_size(),
            extranonce_prefix: channel.get_extranonce_prefix().to_vec().try_into().map_err(said)?,
            group_channel_id: GROUP,
        });
        Ok((Self { channel: Channel::Extended(channel), template: 0 }, answer))
    }

    /// Made up: its transactions are two hashes on the way to the root.
    fn new_template(&mut self, future: bool) -> Result<()> {
        let output = |amount, parts: [&[u8]; 2]| TxOut {
            value: Amount::from_sat(amount),
            script_pubkey: ScriptBuf::from_bytes(parts.concat()),
        };
        let commitment = output(0, [&[0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed], &[0x33; 32]]);
        let reward = output(REWARD, [&[0x00, 0x14], &[0x44; 20]]);
        self.template += 1;
        let template = NewTemplateOwned {
            template_id: self.template,
            future_template: future,
            version: 0x2000_0000,
            coinbase_tx_version: 2,
            coinbase_prefix: vec![3, self.template as u8, 0, 1].try_into().map_err(said)?, // BIP 34's height
            coinbase_tx_input_sequence: u32::MAX,
            coinbase_tx_value_remaining: REWARD,
            coinbase_tx_outputs_count: 1,
            coinbase_tx_outputs: serialize(&commitment).try_into().map_err(said)?,
            coinbase_tx_locktime: 0,
            merkle_path: vec![[0x55; 32].into(), [0x66; 32].into()].try_into().map_err(said)?,
        };
        of_either!(&mut self.channel, channel => channel.on_new_template(template, vec![reward]).map_err(said))
    }

    /// A future job, and the block that begins with it.
    pub fn next_block(&mut self) -> Result<Vec<MiningOwned>> {
        self.new_template(true)?;
        let template_id = self.template;
        let job_id = of_either!(&self.channel, channel => channel.get_future_job_id_from_template_id(template_id))
            .ok_or("no future job was made of the template")?;
        let job = job_message!(&self.channel, get_future_job(job_id))?;
        let (prev_hash, min_ntime) = ([template_id as u8; 32], SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() as u32);
        let block = TemplateSetNewPrevHash {
            template_id,
            prev_hash: prev_hash.into(),
            header_timestamp: min_ntime,
            n_bits: BITS,
            target: Target::from_compact(CompactTarget::from_consensus(BITS)).to_le_bytes().into(),
        };
        of_either!(&mut self.channel, channel => channel.on_set_new_prev_hash(block).map_err(said))?;
        let block = SetNewPrevHashOwned { channel_id: CHANNEL, job_id, prev_hash: prev_hash.into(), min_ntime, nbits: BITS };
        Ok(vec![job, MiningOwned::SetNewPrevHash(block)])
    }

    fn update(&mut self, update: UpdateChannelOwned) -> Result<MiningOwned> {
        let (rate, most) = (update.nominal_hash_rate, Target::from_le_bytes(update.maximum_target.into_array()));
        let target = of_either!(&mut self.channel, channel => {
            channel.update_channel(rate, Some(most)).map_err(said)?;
            channel.get_target().to_le_bytes()
        });
        Ok(MiningOwned::SetTarget(SetTargetOwned { channel_id: CHANNEL, maximum_target: target.into() }))
    }

    /// The answers to a message of the channel's.
    pub fn take(&mut self, message: MiningOwned) -> Result<Vec<MiningOwned>> {
        match (message, &mut self.channel) {
            (MiningOwned::UpdateChannel(update), _) => Ok(vec![self.update(update)?]),
            (MiningOwned::SubmitSharesStandard(share), Channel::Standard(channel)) => {
                let (number, verdict) = (share.sequence_number, channel.validate_share(share));
                self.answer(number, verdict)
            }
            (MiningOwned::SubmitSharesExtended(share), Channel::Extended(channel)) => {
                let (number, verdict) = (share.sequence_number, channel.validate_share(share));
                self.answer(number, verdict)
            }
            (other, _) => Err(format!("unexpected: {other}").into()),
        }
    }

    fn answer(&mut self, sequence_number: u32, verdict: std::result::Result<Verdict, Flaw>) -> Result<Vec<MiningOwned>> {
        let accounts = of_either!(&self.channel, channel => channel.get_share_accounting());
        let (due, new_job) = (accounts.should_acknowledge(), accounts.get_shares_accepted() % SHARES_A_JOB == 0);
        let success = MiningOwned::SubmitSharesSuccess(SubmitSharesSuccess {
            channel_id: CHANNEL,
            last_sequence_number: accounts.get_last_share_sequence_number(),
            new_submits_accepted_count: accounts.get_last_batch_accepted(),
            new_shares_sum: accounts.get_last_batch_work_sum(),
        });
        let mut answers = vec![];
        match verdict {
            Ok(Verdict::BlockFound(hash, ..)) => {
                println!("share accepted {hash}, a block's");
                answers.push(success);
                answers.extend(self.next_block()?);
            }
            Ok(Verdict::Valid(hash)) => {
                println!("share accepted {hash}");
                answers.extend(due.then_some(success));
                if new_job {
                    self.new_template(false)?;
                    answers.push(job_message!(&self.channel, get_active_job())?);
                }
            }
            Err(flaw) => {
                let code = code_of(flaw);
                println!("share {code}");
                let error_code = code.try_into().map_err(said)?;
                answers.push(MiningOwned::SubmitSharesError(SubmitSharesErrorOwned {
                    channel_id: CHANNEL,
                    sequence_number,
                    error_code,
                }));
            }
        }
        Ok(answers)
    }
}

fn code_of(flaw: Flaw) -> String {
    match flaw {
        Flaw::Invalid(code)
        | Flaw::Stale(code)
        | Flaw::InvalidJobId(code)
        | Flaw::DoesNotMeetTarget(code)
        | Flaw::VersionRollingNotAllowed(code)
        | Flaw::DuplicateShare(code)
        | Flaw::BadExtranonceSize(code) => code.to_string(),
        other => format!("{other:?}"),
    }
}
