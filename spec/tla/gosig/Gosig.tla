------------------------------- MODULE Gosig -------------------------------
(***************************************************************************)
(* Safety of Gosig: the votes of spec/gosig.md, without times, bodies and  *)
(* encodings.                                                              *)
(*                                                                         *)
(* Network.  Every vote and proposal may reach a member at any time or     *)
(* never: a member acts on any certificate for which enough votes exist,   *)
(* on any proposal that such a certificate justifies, and may skip rounds. *)
(* So every order, delay and loss of messages is a behaviour, and clocks   *)
(* do not matter.                                                          *)
(*                                                                         *)
(* Faulty members.  They have signed every vote for each round and block   *)
(* from the beginning: certificates need only honest signers in addition.  *)
(* They may propose every block with every existing certificate to any     *)
(* member, and their scores may be the best ones in any round.             *)
(*                                                                         *)
(* Crashes.  A member's votes and its lock are durable before a vote is    *)
(* sent; collected votes are not.  The model does not store those, so a    *)
(* crash is no step.  A lock keeps its round here when its block is        *)
(* proposed again; a member that raises the round releases the lock less   *)
(* often, so its behaviour is included.                                    *)
(*                                                                         *)
(* Broken is the set of broken rules.  If it is empty, TLC finds that      *)
(* Lemma1 and Agreement hold; it refutes each broken rule alone.           *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
    Honest,     \* the members that follow the rules
    Faulty,     \* number of the other members
    Quorum,     \* number of signers of a certificate
    Values,     \* the possible blocks at one height
    Heights,    \* the heights are 1 .. Heights; below is the genesis
    Rounds,     \* the rounds are 1 .. Rounds; the genesis is certified in round 0
    Broken      \* the broken rules, by name

VARIABLES
    prepared,   \* for each member, the P messages that it signed: <<round, height, value>>
    tentative,  \* for each member, the TC messages that it signed, likewise
    current,    \* for each member, the last round in which it recorded a P message
    chain,      \* for each member, the blocks that it committed
    lock        \* for each member, NoLock or <<B_tc, r_tc>>, for the height above its chain

variables == <<prepared, tentative, current, chain, lock>>

NoLock == <<>>
Votes == (1 .. Rounds) \X (1 .. Heights) \X Values
Next(m) == Len(chain[m]) + 1
Symmetry == Permutations(Honest) \union Permutations(Values)

(***************************************************************************)
(* Certificates.                                                           *)
(***************************************************************************)

ASSUME Faulty < Quorum  \* so that every certificate has an honest signer

Certificates(signed) ==
    LET signers(vote) == {m \in Honest : vote \in signed[m]}
    IN  {vote \in UNION {signed[m] : m \in Honest} : Cardinality(signers(vote)) + Faulty >= Quorum}

Prepared == Certificates(prepared)

Committed == IF "commits with P" \in Broken THEN Prepared ELSE Certificates(tentative)

(***************************************************************************)
(* Proposals that a member may receive in a round, as pairs of a block and *)
(* its certificate's round: a new block with a TC certificate of the block *)
(* below, whose round plus one counts, or a repeated block with its own P  *)
(* certificate.                                                            *)
(***************************************************************************)

New(m, round) ==
    IF Next(m) = 1 THEN Values \X {1}
    ELSE LET parents == {vote \in Committed : vote[1] < round /\ vote[2] = Len(chain[m])
                                              /\ vote[3] = chain[m][Len(chain[m])]}
         IN  Values \X {vote[1] + 1 : vote \in parents}

Again(m, round) ==
    IF "accepts unproved rounds" \in Broken THEN Values \X (1 .. round - 1)
    ELSE {<<vote[3], vote[1]>> : vote \in {vote \in Prepared : vote[1] < round /\ vote[2] = Next(m)}}

Proposals(m, round) == New(m, round) \union Again(m, round)

(***************************************************************************)
(* DecideBlock: the block to prepare, and the new lock.  The network       *)
(* chooses the set of proposals that a member decides on, so each branch   *)
(* is possible whenever there is a proposal for it.                        *)
(***************************************************************************)

Releases(z, locked) ==
    IF "releases at the same round" \in Broken THEN z[2] >= locked[2] ELSE z[2] > locked[2]

Decisions(m, round) ==
    LET locked == lock[m]
        shown == Proposals(m, round)
        anything == {<<z[1], NoLock>> : z \in shown}
        another == {<<z[1], NoLock>> : z \in {z \in shown : z[1] # locked[1] /\ Releases(z, locked)}}
        mine == {z \in shown : z[1] = locked[1] /\ z[2] >= locked[2]}
        kept == {<<locked[1], locked>> : z \in mine}
        \* Algorithm 2 of the paper, line 10, as it is printed.
        forgotten == {<<z[1], NoLock>> : z \in {z \in mine : Releases(z, locked)}}
    IN  IF locked = NoLock THEN anything
        ELSE another \union kept \union (IF "releases at re-proposal" \in Broken THEN forgotten ELSE {})

(***************************************************************************)
(* Steps.                                                                  *)
(***************************************************************************)

(* P: once in a round, rounds ascending, for the height above the chain.   *)
Prepare(m) ==
    \E round \in 1 .. Rounds :
        /\ IF "prepares twice" \in Broken THEN round >= current[m] ELSE round > current[m]
        /\ Next(m) <= Heights
        /\ \E decision \in Decisions(m, round) :
            /\ prepared' = [prepared EXCEPT ![m] = @ \union {<<round, Next(m), decision[1]>>}]
            /\ lock' = [lock EXCEPT ![m] = decision[2]]
        /\ current' = [current EXCEPT ![m] = round]
        /\ UNCHANGED <<tentative, chain>>

(* P for a committed height: only if that rule is broken.                  *)
PrepareBelow(m) ==
    /\ "votes below its chain" \in Broken
    /\ \E round \in current[m] + 1 .. Rounds, height \in 1 .. Len(chain[m]), value \in Values :
        /\ prepared' = [prepared EXCEPT ![m] = @ \union {<<round, height, value>>}]
        /\ current' = [current EXCEPT ![m] = round]
    /\ UNCHANGED <<tentative, chain, lock>>

(* TC: for a block with the member's P, in the round of its last P, with a *)
(* P certificate.  It sets the lock.                                       *)
Tentative(m) ==
    \E vote \in prepared[m] \ tentative[m] :
        /\ "signs TC late" \in Broken \/ vote[1] = current[m]
        /\ "signs TC without P certificate" \in Broken \/ vote \in Prepared
        /\ vote[2] = Next(m) \/ ("votes below its chain" \in Broken /\ vote[2] < Next(m))
        /\ tentative' = [tentative EXCEPT ![m] = @ \union {vote}]
        /\ lock' = IF vote[2] = Next(m) THEN [lock EXCEPT ![m] = <<vote[3], vote[1]>>] ELSE lock
        /\ UNCHANGED <<prepared, current, chain>>

(* TC for a block without the member's P.                                  *)
TentativeUnprepared(m) ==
    /\ "signs TC for an unprepared block" \in Broken
    /\ \E vote \in Votes \ tentative[m] :
        /\ vote[1] = current[m] /\ vote[2] = Next(m)
        /\ tentative' = [tentative EXCEPT ![m] = @ \union {vote}]
        /\ lock' = [lock EXCEPT ![m] = <<vote[3], vote[1]>>]
    /\ UNCHANGED <<prepared, current, chain>>

(* A commitment certificate ends a height and its lock.  At the highest    *)
(* height a member that commits only falls silent, which any member may.   *)
Commit(m) ==
    /\ Next(m) < Heights
    /\ \E vote \in Committed :
        /\ vote[2] = Next(m)
        /\ chain' = [chain EXCEPT ![m] = Append(@, vote[3])]
    /\ lock' = [lock EXCEPT ![m] = NoLock]
    /\ UNCHANGED <<prepared, tentative, current>>

(* A crash of a member whose records were not durable.                     *)
Crash(m) ==
    /\ \/ /\ "loses its lock in a crash" \in Broken
          /\ lock' = [lock EXCEPT ![m] = NoLock]
          /\ UNCHANGED current
       \/ /\ "loses its votes in a crash" \in Broken
          /\ current' = [current EXCEPT ![m] = 0]
          /\ UNCHANGED lock
    /\ UNCHANGED <<prepared, tentative, chain>>

Start ==
    /\ prepared = [m \in Honest |-> {}]
    /\ tentative = [m \in Honest |-> {}]
    /\ current = [m \in Honest |-> 0]
    /\ chain = [m \in Honest |-> <<>>]
    /\ lock = [m \in Honest |-> NoLock]

Step ==
    \E m \in Honest :
        Prepare(m) \/ PrepareBelow(m) \/ Tentative(m) \/ TentativeUnprepared(m) \/ Commit(m) \/ Crash(m)

Gosig == Start /\ [][Step]_variables

(***************************************************************************)
(* What must hold.                                                         *)
(***************************************************************************)

(* In a round at most one block is prepared by a quorum.                   *)
OnePerRound == \A one, other \in Prepared : one[1] = other[1] => one = other

(* The paper's Lemma 1: once a block can be committed in a round, no       *)
(* honest member signs TC in a later round for another block at its height *)
(* or for any block below.                                                 *)
Lemma1 ==
    \A vote \in Committed : \A m \in Honest : \A later \in tentative[m] :
        later[1] > vote[1] /\ later[2] <= vote[2] => later[2] = vote[2] /\ later[3] = vote[3]

(* No two blocks of one height can be committed.                           *)
Agreement == \A one, other \in Committed : one[2] = other[2] => one[3] = other[3]

(***************************************************************************)
(* What must not hold, or the model would prove nothing.                   *)
(***************************************************************************)

(* The highest height is never committed.                                  *)
NothingCommitted == \A vote \in Committed : vote[2] < Heights

(* A member that signed TC for a block never signs TC for another block at *)
(* its height: locks are never released.                                   *)
NothingReleased ==
    \A m \in Honest : \A one, other \in tentative[m] : one[2] = other[2] => one[3] = other[3]

=============================================================================
