// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import "./Base.sol";

/// Answers `false` in place of a revert, and moves nothing.
contract FalseToken is Base {
    string public constant symbol = "USDC";

    function transfer(address, uint256) external pure returns (bool) {
        return false;
    }
}
